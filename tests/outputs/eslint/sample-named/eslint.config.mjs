export default [
  { ignores: ["out/**"] },
  { rules: { "no-unused-vars": "error", eqeqeq: "warn" } },
];
