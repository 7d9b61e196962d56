pub fn total(prices: &[i32]) -> i32 {
    let unused = 1;
    prices.iter().sum()
}

pub fn wrong() -> i32 {
    "text"
}

pub fn moved() {
    let name = String::new();
    drop(name);
    drop(name);
}

#[cfg(test)]
mod tests {
    #[test]
    fn wrong_too() {
        let name: i32 = undefined;
    }
}
