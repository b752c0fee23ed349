#include <stdlib.h>

int f(int n) {
    if (n < 0 || n > 100)
        return 0;
    int **rows = malloc((unsigned long)n * sizeof *rows);
    for (int i = 0; i < n; i++)
        rows[i] = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        free(rows[i]);
    free(rows);
    return n;
}
