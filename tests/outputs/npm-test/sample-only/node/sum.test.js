import assert from "node:assert";
import { after, before, describe, it, test } from "node:test";
test("alone", { only: true }, () => {});
test("red", () => {
  assert.strictEqual(1, 2);
});
