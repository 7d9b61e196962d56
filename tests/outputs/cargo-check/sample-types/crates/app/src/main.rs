fn main() {
    let never_seen: i32 = "hidden by what is wrong in core-lib";
}
