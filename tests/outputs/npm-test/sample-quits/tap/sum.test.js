const t = require("tap");
process.exit(0);
t.test("red", (t) => {
  t.equal(1, 2);
  t.end();
});
