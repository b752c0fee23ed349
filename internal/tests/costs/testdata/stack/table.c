static int small(int x) { return x + 1; }

static int large(int x) {
    int buffer[50];
    for (int i = 0; i < 50; i++)
        buffer[i] = x + i;
    return buffer[x & 31];
}

static int (*const operations[])(int) = {small, large};

static int apply(int which, int x) { return operations[which & 1](x); }

int f(int n) { return apply(n, n) + apply(n + 1, n); }
