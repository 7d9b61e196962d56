import assert from "node:assert";
import { after, before, describe, it, test } from "node:test";
test("first", () => {});
test("quits", () => {
  process.exit(0);
});
test("red", () => {
  assert.fail();
});
