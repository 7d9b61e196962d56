export default [
  { ignores: ["out/**"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  { rules: { "no-unused-vars": "error", eqeqeq: "warn" } },
];
