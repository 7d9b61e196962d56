const test = require("tape");
test("sum", (t) => { t.equal(1 + 2, 3, "adds"); t.equal(1 - 2, 3, "subtracts"); t.end(); });
test("later", { skip: true }, (t) => t.end());
test("some day", { todo: true }, (t) => { t.fail("not yet"); t.end(); });
