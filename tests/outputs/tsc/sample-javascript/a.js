/** @type {number} */
export const a = "1";
