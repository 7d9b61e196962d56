import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import "./nowhere.js";
test("never runs", () => {});
