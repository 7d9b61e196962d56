import test from "ava";
test.after(() => {
  throw new Error("not cleaned up");
});
test("three", (t) => t.pass());
