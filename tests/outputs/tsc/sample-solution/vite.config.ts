export const b: string = 1;
