import assert from "node:assert";
import { after, before, describe, it, test } from "node:test";
test("adds", () => {
  assert.strictEqual(1 + 1, 2);
});
describe("sums", () => {
  it("adds more", () => {
    assert.strictEqual(2 + 2, 4);
  });
});
