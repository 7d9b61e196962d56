export default [{ rules: { "no-such-rule": "error" } }];
