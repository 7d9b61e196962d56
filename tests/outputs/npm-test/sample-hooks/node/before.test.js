import assert from "node:assert";
import { after, before, describe, it, test } from "node:test";
describe("before", () => {
  before(() => {
    throw new Error("no database");
  });
  it("one", () => {});
  it("two", () => {});
});
