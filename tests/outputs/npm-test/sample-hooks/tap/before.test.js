const t = require("tap");
t.before(() => {
  throw new Error("no database");
});
t.test("one", (t) => t.end());
