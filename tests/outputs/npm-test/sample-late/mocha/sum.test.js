const assert = require("node:assert");
it("adds", () => {
  assert.strictEqual(1 + 1, 2);
});
describe("sums", () => {
  it("adds more", () => {
    assert.strictEqual(2 + 2, 4);
  });
  it("later");
  it.skip("left out", () => {});
});
