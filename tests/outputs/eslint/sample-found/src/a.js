const a = 1;
if (1 == 2) {}
