fn main() {
    own::say();
    let unused = 1;
}
