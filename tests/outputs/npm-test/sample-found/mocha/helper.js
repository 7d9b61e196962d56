exports.helper = () => {
  throw new TypeError("from the helper");
};
