import test from "ava";
test("is here", (t) => t.true(false, "it is not"));
