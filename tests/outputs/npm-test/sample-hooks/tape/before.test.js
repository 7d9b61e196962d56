const test = require("tape");
test("one", (t) => {
  t.teardown(() => {
    throw new Error("not cleaned up");
  });
  t.pass();
  t.end();
});
