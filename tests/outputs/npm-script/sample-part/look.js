const bad = process.argv.slice(2);
console.log("ok 1 - well");
for (const one of bad) console.error(`${one}:1:1 is not as it should be`);
process.exitCode = bad.length;
