import test from "ava";
test.only("alone", (t) => t.pass());
test("red", (t) => {
  t.is(1, 2);
});
