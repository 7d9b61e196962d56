test("never ends", () => {
  expect(1).toBe(1;
});
