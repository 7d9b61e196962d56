describe("after", () => {
  after(() => {
    throw new Error("not cleaned up");
  });
  it("three", () => {});
});
