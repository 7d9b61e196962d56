describe("before", () => {
  before(() => {
    throw new Error("no database");
  });
  it("one", () => {});
  it("two", () => {});
});
