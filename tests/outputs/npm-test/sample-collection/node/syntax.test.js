import assert from "node:assert";
import { after, before, describe, it, test } from "node:test";
test("never ends", () => {
  expect(1).toBe(1;
});
