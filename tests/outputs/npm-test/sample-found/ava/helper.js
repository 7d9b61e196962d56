export const helper = () => {
  throw new TypeError("from the helper");
};
