/// Adds prices.
///
/// ```
/// assert_eq!(shop::total(&[1, 2]), 3);
/// ```
pub fn total(prices: &[i32]) -> i32 {
    prices.iter().sum()
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::total(&[1, 2]), 3);
    }

    #[test]
    #[ignore = "slow"]
    fn later() {}
}
