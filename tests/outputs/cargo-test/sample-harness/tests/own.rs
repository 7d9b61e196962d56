fn main() {
    println!("a harness of its own");
    std::process::exit(3);
}
