pub fn total( -> i32 {
    1
}
