use std::fs;

pub fn total(prices: &[i32]) -> i32 {
    let unused = 1;
    let mut sum = 0;
    let mut same = 0;
    for price in prices { sum += price; }
    sum
}
