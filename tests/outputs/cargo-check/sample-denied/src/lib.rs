#![deny(warnings)]

pub fn total() -> i32 {
    let unused = 1;
    2
}
