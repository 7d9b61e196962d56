import { n } from "../../lib/src/index";
export const m: number = n;
