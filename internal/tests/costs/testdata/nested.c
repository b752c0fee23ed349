int nondet(void);

void f(int n, int m) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        s++;
        while (s > 0 && nondet())
            s--;
        for (int j = i; j < m; j++)
            ;
    }
}
