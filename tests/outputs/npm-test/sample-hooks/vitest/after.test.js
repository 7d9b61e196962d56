import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
describe("after", () => {
  afterAll(() => {
    throw new Error("not cleaned up");
  });
  it("three", () => {});
});
