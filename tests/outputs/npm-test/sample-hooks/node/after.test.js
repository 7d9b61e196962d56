import assert from "node:assert";
import { after, before, describe, it, test } from "node:test";
describe("after", () => {
  after(() => {
    throw new Error("not cleaned up");
  });
  it("three", () => {});
});
