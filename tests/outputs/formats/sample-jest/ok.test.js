test("fine", () => {});
