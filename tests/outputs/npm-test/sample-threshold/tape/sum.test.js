process.on("exit", () => {
  process.exit(4);
});
const test = require("tape");
test("adds", (t) => {
  t.equal(1 + 1, 2);
  t.equal(1 + 2, 3);
  t.end();
});
test("sums", (t) => {
  t.test("adds more", (t) => {
    t.equal(2 + 2, 4);
    t.end();
  });
  t.end();
});
test("later", { todo: true }, (t) => {
  t.fail("not yet");
  t.end();
});
test.skip("left out", (t) => t.end());
