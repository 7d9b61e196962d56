export default [{ ignores: ["**/*"] }];
