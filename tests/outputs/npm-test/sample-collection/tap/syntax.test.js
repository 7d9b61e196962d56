const t = require("tap");
t.test("never ends", (t) => {
  t.equal(1;
});
