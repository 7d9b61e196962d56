import test from "ava";
test("never ends", (t) => {
  t.is(1;
});
