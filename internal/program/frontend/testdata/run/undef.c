// A local that is read before it is written has an arbitrary but fixed value
// (trap 1): folding made the divisor 0 on every path that sets x.
#include <assert.h>
int __VERIFIER_nondet_int(void);
void use(int *);
int main(void) {
	int a = __VERIFIER_nondet_int(), x;
	if (a > 0) x = 1;
	int y = x, z = x;
	assert(y == z);
	assert(a <= 0 || x == 1);
	assert(x == 1); // @assertion x == 1
	int array[4], i = a & 3;
	array[1] = 7;
	assert(array[1] == 7);
	assert(array[i] == 7); // @assertion
	int copy = x; // arbitrary, but what x is
	use(&copy);
	assert(copy == x);
	return 0;
}
