console.log("loading [the] configuration");
export default [
  { ignores: ["out/**"] },
  { rules: { "no-unused-vars": "error", eqeqeq: "warn" } },
];
