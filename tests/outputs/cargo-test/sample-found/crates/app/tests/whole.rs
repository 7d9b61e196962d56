#[test]
fn in_the_other_crate() {
    core_lib::total(&[1, 2, 3]);
}

#[test]
fn fine() {}
