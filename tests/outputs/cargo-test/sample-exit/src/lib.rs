#[test]
fn exits() {
    std::process::exit(0);
}

#[test]
fn never() {
    std::thread::sleep(std::time::Duration::from_secs(20));
    panic!("never seen");
}
