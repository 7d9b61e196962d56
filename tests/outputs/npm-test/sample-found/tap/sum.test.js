const t = require("tap");
const { helper } = require("./helper.js");
t.test("adds", (t) => {
  t.equal(1 + 1, 2);
  t.end();
});
t.test("fails twice", (t) => {
  t.equal(1, 2);
  t.equal(2, 3, "another");
  t.end();
});
t.test("the  whole", (t) => {
  t.test("throws in a helper", (t) => {
    helper();
  });
  t.test("is deeply something else", (t) => {
    t.same({ a: [1, 2] }, { a: [1, 3] });
    t.end();
  });
  t.end();
});
t.ok(false, "is no test of its own");
