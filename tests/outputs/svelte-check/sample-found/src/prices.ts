export const price: string = 1;
