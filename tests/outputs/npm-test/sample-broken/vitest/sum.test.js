import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
test("adds", () => {
  expect(1 + 1).toBe(2);
});
describe("sums", () => {
  it("adds more", () => {
    expect(2 + 2).toBe(4);
  });
});
