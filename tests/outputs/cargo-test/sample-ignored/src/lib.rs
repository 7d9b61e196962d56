#[test]
#[ignore]
fn later() {}
