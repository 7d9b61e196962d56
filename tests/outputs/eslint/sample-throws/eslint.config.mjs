throw new Error("no configuration today");
