pub fn total() -> i32 {
    let unused = 1;
    2
}

#[test]
fn wrong() {
    let total: &str = total();
}
