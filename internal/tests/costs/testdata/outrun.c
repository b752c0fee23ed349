int nondet(void);

void f(int x, int y) {
    int n = nondet();
    while (x < y * y && x > 0) {
        x = 5 * x + n * n;
        y = 2 * y;
    }
    while (n > 0)
        n--;
}
