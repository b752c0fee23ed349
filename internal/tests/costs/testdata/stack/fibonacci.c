static int fib(int n) {
    int parts[2];
    if (n < 2)
        return n;
    parts[0] = fib(n - 1);
    parts[1] = fib(n - 2);
    return parts[0] + parts[1];
}

int f(int n) { return fib(n); }
