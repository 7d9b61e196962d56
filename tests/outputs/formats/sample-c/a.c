#include <stdio.h>
#include "a.h"
static int unused;
int main(void) {
    int x;
    puts(1);
    return y;
}
