static int down(int k) {
    int copy[6];
    copy[k % 6] = k;
    return k == 0 ? copy[0] : down(k - 1);
}

int f(int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += down(i);
    return s;
}
