// Where objects become indeterminate again (trap 2).
#include <assert.h>
int __VERIFIER_nondet_int(void);

static int loop_of_goto(void) {
	int i = 0;
L:;
	int y;
	if (i == 1 && y != 3) goto E;
	y = 3;
	i++;
	if (i < 2) goto L;
	return 0;
E:
	return 1;
}

static void loop(void) {
	int old = 0;
	for (int i = 0; i < 2; i++) {
		int k;
		if (i == 0) k = 5;
		if (i == 1) assert(k == 5); // @assertion k == 5
		old = k;
	}
	(void)old;
}

// Every round of the loop has its own array, too.
static void arrays(void) {
	for (int i = 0; i < 2; i++) {
		int k[20];
		if (i == 0) k[__VERIFIER_nondet_int() & 15] = 1;
		if (i == 0) k[3] = 1;
		if (i == 1) assert(k[3] == 1); // @assertion k[3] == 1
	}
}

// A declaration that is jumped over.
static void bypassed(int n) {
	switch (n) {
		int z;
	case 1:
		z = 2;
		assert(z == 2);
	case 2:
		assert(z == 2); // @assertion z == 2
	}
}

static void variable_length(int n) {
	for (int i = 0; i < 2; i++) {
		int a[n];
		if (i == 0) a[0] = 1;
		if (i == 1) assert(a[0] == 1); // @assertion a[0] == 1
	}
}

// A compound literal is initialised in each round.
static void literal(void) {
	for (int i = 0; i < 2; i++) {
		int *p = (int[]){1, 2};
		assert(p[0] == 1 && p[1] == 2);
		p[0] = 3;
	}
}

int main(void) {
	switch (__VERIFIER_nondet_int() & 7) {
	case 0: assert(loop_of_goto() == 0); // @assertion
	case 1: loop();
	case 2: arrays();
	case 3: bypassed(__VERIFIER_nondet_int() & 3);
	case 4: variable_length((__VERIFIER_nondet_int() & 7) + 1);
	}
	literal();
	return 0;
}
