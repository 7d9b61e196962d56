import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
describe("before", () => {
  beforeAll(() => {
    throw new Error("no database");
  });
  it("one", () => {});
  it("two", () => {});
});
