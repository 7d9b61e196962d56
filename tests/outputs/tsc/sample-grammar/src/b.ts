import { A } from "./a";
export const a: A = { a: 1 };
