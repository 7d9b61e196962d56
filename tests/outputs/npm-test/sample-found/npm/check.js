console.log("1 of 2 well");
console.error("Error: the other one failed");
process.exitCode = 3;
