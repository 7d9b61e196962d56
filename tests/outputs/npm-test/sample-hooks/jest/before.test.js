describe("before", () => {
  beforeAll(() => {
    throw new Error("no database");
  });
  it("one", () => {});
  it("two", () => {});
});
