import assert from "node:assert";
import { after, before, describe, it, test } from "node:test";
import { helper } from "./helper.js";
test("adds", () => {
  assert.strictEqual(1 + 1, 2);
});
test("twice", () => {
  assert.strictEqual(1, 2);
});
test("twice", () => {
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
test("is told in colours", () => {
  throw new Error("\u001b[31mred\u001b[39m alert\nand more");
});
test("a failing todo", { todo: true }, () => {
  throw new Error("not yet");
});
test("around", async (t) => {
  await t.test("within", () => {
    throw new Error("deep");
  });
});
