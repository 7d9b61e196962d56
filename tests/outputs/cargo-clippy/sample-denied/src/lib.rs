pub fn same(price: i32) -> bool {
    price == price
}
