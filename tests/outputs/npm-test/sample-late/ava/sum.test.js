import test from "ava";
test("adds", (t) => {
  t.is(1 + 1, 2);
});
test("adds more", (t) => {
  t.is(2 + 2, 4);
});
test.todo("later");
test.skip("left out", (t) => t.pass());
