import test from "ava";
import { helper } from "./helper.js";
test("adds", (t) => {
  t.is(1 + 1, 2);
});
test("is something else", (t) => {
  t.is(1, 2);
});
test("is deeply something else", (t) => {
  t.deepEqual({ a: [1, 2] }, { a: [1, 3] });
});
test("throws in a helper", () => {
  helper();
});
test("throws a text", () => {
  throw "just a text";
});
test.failing("is known to fail", (t) => {
  t.fail();
});
