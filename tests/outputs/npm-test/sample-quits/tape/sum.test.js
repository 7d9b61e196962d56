const test = require("tape");
process.exit(0);
test("red", (t) => {
  t.equal(1, 2);
  t.end();
});
