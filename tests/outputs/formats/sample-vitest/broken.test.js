import x from;
test("never", () => {});
