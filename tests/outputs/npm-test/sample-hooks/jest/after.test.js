describe("after", () => {
  afterAll(() => {
    throw new Error("not cleaned up");
  });
  it("three", () => {});
});
