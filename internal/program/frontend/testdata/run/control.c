// Switches, computed gotos, function pointers, constructors, loops, exits.
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

static int dispatch(int n) {
	static void *table[] = {&&zero, &&one, &&two};
	int steps = 0;
	goto *table[n];
one:
	steps += 1;
	goto *table[0];
two:
	steps += 2;
	goto *table[1];
zero:
	return steps;
}

static int relative(int n) {
	static const int offset[] = {&&a - &&a, &&b - &&a};
	goto *(&&a + offset[n]);
a:
	return 1;
b:
	return 2;
}

static int choose(long long n) {
	switch (n) {
	case -1: return 1;
	case 0 ... 3: return 2;
	case 1LL << 40: return 3;
	default: return 4;
	}
}

static int twice(int n) { return 2 * n; }
static int thrice(int n) { return 3 * n; }
static int (*const functions[])(int) = {twice, thrice};

static int order, first, second;
__attribute__((constructor(102))) static void set_second(void) { second = ++order; }
__attribute__((constructor(101))) static void set_first(void) { first = ++order; }

static void handler(void) { assert(order == 10); order = 11; }
static void last(void) { assert(order == 11); }

static int closed;
__attribute__((destructor(101))) static void close_last(void) { assert(closed == 1); }
__attribute__((destructor(102))) static void close_first(void) { closed = 1; }

static int forever(void) {
	while (1) {
		int n = __VERIFIER_nondet_int();
		if (n > 100) return n;
		if (n < -100) abort();
	}
}

static int conditional(int n) { return n > 0 ? n < 10 && n != 5 ? 1 : 2 : n < -10 || n == -3 ? 3 : 4; }

int main(void) {
	assert(first == 1 && second == 2);
	int n = __VERIFIER_nondet_int() & 1;
	assert(dispatch(0) == 0 && dispatch(1) == 1 && dispatch(2) == 3);
	assert(relative(0) == 1 && relative(1) == 2);
	assert(choose(-1) == 1 && choose(2) == 2 && choose(1LL << 40) == 3 && choose(4) == 4);
	assert(functions[n](5) == (n ? 15 : 10));
	assert(conditional(3) == 1 && conditional(5) == 2 && conditional(-3) == 3 && conditional(-4) == 4);
	assert(forever() > 100);
	atexit(last);
	atexit(handler);
	order = 10;
	if (n) exit(1);
	return 0;
}
