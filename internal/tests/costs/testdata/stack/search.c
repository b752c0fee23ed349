static int table[64];

static int search(int key, int low, int high) {
    if (low >= high)
        return low;
    int middle = low + (high - low) / 2;
    if (table[middle & 63] < key)
        return search(key, middle + 1, high);
    return search(key, low, middle);
}

int f(int n) { return search(n, 0, n); }
