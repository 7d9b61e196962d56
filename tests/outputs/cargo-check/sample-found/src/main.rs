fn main() {
    let total = shop::total(&[1]);
}
