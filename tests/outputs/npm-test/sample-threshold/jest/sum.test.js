const { sum } = require("./sum.js");
test("adds", () => {
  expect(sum(0, 1)).toBe(1);
});
