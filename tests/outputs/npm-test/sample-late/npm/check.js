setTimeout(() => {
  throw new Error("too late");
}, 20);
