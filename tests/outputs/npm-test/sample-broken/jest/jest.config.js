module.exports = { testEnvironment: "no-such-environment" };
