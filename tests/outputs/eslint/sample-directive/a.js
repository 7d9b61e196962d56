// eslint-disable-next-line no-unused-vars
export const a = 1;
// eslint-disable-next-line nope/nope
export const b = 1;
