import assert from "node:assert";
import { after, before, describe, it, test } from "node:test";
import "./nowhere.js";
test("never runs", () => {});
