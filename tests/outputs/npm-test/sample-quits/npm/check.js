process.exit(0);
throw new Error("red");
