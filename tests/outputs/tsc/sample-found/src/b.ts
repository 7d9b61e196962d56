import { nothing } from "./a";
const unused = 1;
export const n: null | { x: number } = JSON.parse("null");
export const x = n.x;
