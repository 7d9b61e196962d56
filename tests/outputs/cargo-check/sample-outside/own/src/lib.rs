pub fn say() {
    let unused = 1;
}
