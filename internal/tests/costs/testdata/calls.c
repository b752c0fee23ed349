static int half(int k) {
    int steps = 0;
    while (k > 1) {
        k = k / 2;
        steps++;
    }
    return steps;
}

void f(int n) {
    for (int i = 0; i < n; i++)
        half(i);
}
