/// Adds prices.
///
/// ```
/// assert_eq!(core_lib::total(&[1]), 2);
/// ```
///
/// ```
/// core_lib::total(&[1]);
/// ```
pub fn total(prices: &[i32]) -> i32 {
    assert!(prices.len() < 3, "too many prices");
    prices.iter().sum()
}

/// ```
/// let total: i32 = "text";
/// ```
pub fn documented() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal() {
        println!("some output");
        assert_eq!(total(&[1, 2]), 4, "one\nand two");
    }

    #[test]
    fn fine() {}

    #[test]
    #[ignore = "slow"]
    fn later() {}

    #[test]
    #[should_panic(expected = "boom")]
    fn calm() {}

    #[test]
    #[should_panic(expected = "boom")]
    fn another_panic() {
        panic!("bang");
    }

    #[test]
    fn returns() -> Result<(), String> {
        Err("went wrong".into())
    }

    #[test]
    fn unwrapped() {
        let price: Option<i32> = None;
        price.unwrap();
    }

    #[test]
    fn thread() {
        std::thread::spawn(|| panic!("inside")).join().unwrap();
    }
}
