export const b = 1
if (b == 2) {
  debugger;
}
