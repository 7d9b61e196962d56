require("./nowhere.js");
test("never runs", () => {});
