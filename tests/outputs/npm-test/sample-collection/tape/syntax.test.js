const test = require("tape");
test("never ends", (t) => {
  t.equal(1;
});
