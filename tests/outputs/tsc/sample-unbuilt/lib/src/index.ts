export const n: string = "1";
