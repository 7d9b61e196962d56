import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
test("never ends", () => {
  expect(1).toBe(1;
});
