pub fn is_empty(prices: &Vec<i32>) -> bool {
    if prices.len() == 0 {
        return true;
    }
    return false;
}

#[cfg(test)]
mod tests {
    #[test]
    fn empty() {
        let unused = 1;
        assert_eq!(super::is_empty(&vec![]), true);
    }
}
