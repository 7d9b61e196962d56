test("ends early", () => {
  setTimeout(() => {
    throw new Error("too late");
  }, 20);
});
test("waits", () => new Promise((done) => setTimeout(done, 100)));
