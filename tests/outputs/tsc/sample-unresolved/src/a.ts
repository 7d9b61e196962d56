import { thing } from "not-installed";
export const a: number = thing;
export const b: number = "1";
