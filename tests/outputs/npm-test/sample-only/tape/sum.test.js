const test = require("tape");
test.only("alone", (t) => {
  t.pass();
  t.end();
});
test("red", (t) => {
  t.equal(1, 2);
  t.end();
});
