int f(void);
int g(void);
int twice(void) { return f() + g(); }
int odd;
int (*table[])(void) = {g};
