const x = 1;
if (y == 2) {
  z();
}
// eslint-disable-next-line no-undef
q();
