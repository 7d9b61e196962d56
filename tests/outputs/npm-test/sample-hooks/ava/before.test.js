import test from "ava";
test.before(() => {
  throw new Error("no database");
});
test("one", (t) => t.pass());
test("two", (t) => t.pass());
