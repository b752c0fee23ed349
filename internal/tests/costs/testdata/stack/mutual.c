static int odd(int n);

static int even(int n) {
    char unused[40];
    unused[0] = (char)n;
    return n <= 0 ? unused[0] == n : odd(n - 1);
}

static int odd(int n) { return n <= 0 ? 0 : even(n - 1); }

int f(int n) { return even(n) + odd(n); }
