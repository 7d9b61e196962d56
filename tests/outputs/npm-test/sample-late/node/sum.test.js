import assert from "node:assert";
import { after, before, describe, it, test } from "node:test";
test("ends early", () => {
  setTimeout(() => {
    throw new Error("too late");
  }, 20);
});
test("waits", () => new Promise((done) => setTimeout(done, 100)));
