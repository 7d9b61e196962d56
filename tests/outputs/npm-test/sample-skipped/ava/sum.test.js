import test from "ava";
test.skip("left out", (t) => t.pass());
test.todo("later");
