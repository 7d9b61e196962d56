const test = require("tape");
const { helper } = require("./helper.js");
test("adds", (t) => {
  t.equal(1 + 1, 2);
  t.end();
});
test("fails twice", (t) => {
  t.equal(1, 2);
  t.equal(2, 3, "another");
  t.end();
});
test("the  whole", (t) => {
  t.test("is deeply something else", (t) => {
    t.deepEqual({ a: [1, 2] }, { a: [1, 3] });
    t.end();
  });
  t.end();
});
test("adds", (t) => {
  t.doesNotThrow(helper);
  t.end();
});
test("plans more than it has", (t) => {
  t.plan(2);
  t.pass();
  t.end();
});
