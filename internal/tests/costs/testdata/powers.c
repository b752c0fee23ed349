void f(int n, int x, int y) {
    while (n > 0) {
        int t = x;
        n--;
        x = 3 * x + 2 * y;
        y = -5 * t - 3 * y;
    }
    while (x + y > 0) {
        x--;
        y -= 1;
    }
}
