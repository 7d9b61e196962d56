const t = require("tap");
t.test("left out", { skip: true }, (t) => t.end());
t.test("later", { todo: true });
