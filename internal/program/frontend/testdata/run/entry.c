// function: f
// array: f:a=4
// runs: 1000
// A function under analysis gets arbitrary arguments.
#include <assert.h>
struct S { int n; struct S *next; };
int global = 5;
_Bool __VERIFIER_nondet_bool(void);
#define sometimes(c) if (__VERIFIER_nondet_bool()) assert(c)
int f(int x, struct S *s, int *a, unsigned char c, double d) {
	assert(global == 5);
	a[3] = 1;
	sometimes(a[0] == 0); // @assertion a[0] == 0
	if (x > 0) a[4] = 1; // @valid-deref
	if (s) s->n = x;
	sometimes(s); // @assertion s
	if (s && c == 1) assert(s->n == 8); // @assertion s->n == 8
	if (c == 0) s->n = 1; // @valid-deref
	sometimes(d == d); // @assertion d == d
	sometimes(c < 255); // @assertion c < 255
	return 0;
}
