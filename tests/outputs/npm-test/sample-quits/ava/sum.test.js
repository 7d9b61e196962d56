import test from "ava";
test.serial("first", (t) => t.pass());
test.serial("quits", () => {
  process.exit(0);
});
test.serial("red", (t) => {
  t.is(1, 2);
});
