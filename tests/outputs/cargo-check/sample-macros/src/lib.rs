macro_rules! add {
    ($a:expr) => {
        let _sum: i32 = $a + "one";
    };
}

pub fn total() -> i32 {
    add!(1);
    println!("{}", missing);
    assert_eq!(1, "one");
    2
}
