const assert = require("node:assert");
it("first", () => {});
it("quits", () => {
  process.exit(0);
});
it("red", () => {
  assert.strictEqual(1, 2);
});
