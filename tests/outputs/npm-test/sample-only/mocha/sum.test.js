const assert = require("node:assert");
it.only("alone", () => {});
it("red", () => {
  assert.strictEqual(1, 2);
});
