export const é = "ééé";
if (é == "1") {
  debugger;
}
