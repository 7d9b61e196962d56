export const b = 1;
debugger;
