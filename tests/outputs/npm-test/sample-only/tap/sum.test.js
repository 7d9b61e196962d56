const t = require("tap");
const { sum } = require("./sum.js");
t.only("alone", (t) => {
  t.equal(sum(1, 1), 2);
  t.end();
});
t.test("red", (t) => {
  t.equal(1, 2);
  t.end();
});
