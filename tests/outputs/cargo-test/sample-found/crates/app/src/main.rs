fn main() {}

#[test]
fn fine() {
    assert!(1 + 1 == 3);
}
