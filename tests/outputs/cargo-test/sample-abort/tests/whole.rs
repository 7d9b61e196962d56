#[test]
fn fails() {
    panic!("seen");
}
