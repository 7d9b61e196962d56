int twice(void) { return 2; }
int odd(void) { return 3; }
