import { test, describe, it } from "node:test";
import assert from "node:assert";
test("adds", () => assert.equal(1 + 2, 3));
describe("sum", () => {
  it("subtracts", () => assert.equal(1 - 2, 3));
  it("later", { skip: true }, () => {});
  it("some day", { todo: true }, () => assert.fail("not yet"));
});
test("outer", async (t) => { await t.test("inner", () => { console.log("ok 7 - printed"); }); throw new Error("itself"); });
