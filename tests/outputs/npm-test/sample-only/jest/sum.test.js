test.only("alone", () => {
  expect(1).toBe(1);
});
test("red", () => {
  expect(1).toBe(2);
});
