const t = require("tap");
t.teardown(() => {
  throw new Error("not cleaned up");
});
t.test("three", (t) => {
  t.pass();
  t.end();
});
