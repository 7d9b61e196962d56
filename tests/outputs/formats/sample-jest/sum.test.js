const sum = (a, b) => a + b;
describe("sum", () => {
  test("adds", () => { expect(sum(1, 2)).toBe(3); });
  test("subtracts", () => { expect(sum(1, -2)).toBe(3); });
  test.skip("later", () => {});
  test.todo("write me");
});
