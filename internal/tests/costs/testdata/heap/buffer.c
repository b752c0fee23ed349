#include <stdlib.h>

int f(int n) {
    int s = 0;
    if (n < 0 || n > 1000)
        return 0;
    for (int i = 0; i < n; i++) {
        char *p = malloc(n + 10);
        for (int j = 0; j < n; j++)
            p[j] = (char)(i + j);
        s += p[0];
        free(p);
    }
    return s;
}
