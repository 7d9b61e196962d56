const t = require("tap");
const { sum } = require("./sum.js");
t.test("adds", (t) => {
  t.equal(sum(1, 1), 2);
  t.equal(1 + 2, 3);
  t.end();
});
t.test("sums", (t) => {
  t.test("adds more", (t) => {
    t.equal(2 + 2, 4);
    t.end();
  });
  t.end();
});
t.test("later", { todo: true });
t.test("left out", { skip: true }, (t) => t.end());
