/* sum = product ('+' product)*, product = digit | '(' sum ')', at most `depth` parentheses deep. */
static const char text[] = "((((((((1+2)+3)+4)+5)+6)+7)+8)+9)";
static int at;

static int sum(int depth);

static int product(int depth) {
    if (text[at] == '(' && depth > 0) {
        at++;
        int n = sum(depth - 1);
        at++;
        return n;
    }
    return text[at++] - '0';
}

static int sum(int depth) {
    int n = product(depth);
    for (int i = 0; i < 3 && text[at] == '+'; i++) {
        at++;
        n += product(depth);
    }
    return n;
}

int f(int n) { return sum(n > 8 ? 8 : n); }
