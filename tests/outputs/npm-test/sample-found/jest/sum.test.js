const { helper } = require("./helper.js");
test("adds", () => {
  expect(1 + 1).toBe(2);
});
test("twice", () => {
  expect(1).toBe(2);
});
test("twice", () => {
  expect({ a: [1, 2] }).toEqual({ a: [1, 3] });
});
describe("the  whole", () => {
  describe("inner", () => {
    it("throws in a helper", () => {
      helper();
    });
    it("throws a text", () => {
      throw "just a text";
    });
  });
});
test("is told in colours", () => {
  throw new Error("\u001b[31mred\u001b[39m alert\nand more");
});
