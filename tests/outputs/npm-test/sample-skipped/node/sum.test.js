import assert from "node:assert";
import { after, before, describe, it, test } from "node:test";
test("left out", { skip: true }, () => {});
test("later", { todo: true });
