afterAll(() => { throw new Error("after all"); });
test("passes", () => {});
