import { test } from "vitest";
test("fine", () => {});
