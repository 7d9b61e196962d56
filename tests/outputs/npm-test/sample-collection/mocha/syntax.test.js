const assert = require("node:assert");
it("never ends", () => {
  assert.ok(1;
});
