export const b = ;
