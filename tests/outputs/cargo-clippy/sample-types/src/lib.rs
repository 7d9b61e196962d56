pub fn total() -> i32 {
    return "text";
}
