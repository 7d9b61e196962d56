test("first", () => {});
test("quits", () => {
  process.exit(0);
});
test("red", () => {
  expect(1).toBe(2);
});
