pub fn total() {}
