const assert = require("node:assert");
const { helper } = require("./helper.js");
it("adds", () => {
  assert.strictEqual(1 + 1, 2);
});
it("twice", () => {
  assert.strictEqual(1, 2);
});
it("twice", () => {
  assert.deepStrictEqual({ a: [1, 2] }, { a: [1, 3] });
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
it("is told in colours", () => {
  throw new Error("\u001b[31mred\u001b[39m alert\nand more");
});
