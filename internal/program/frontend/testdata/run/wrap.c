// Signed overflow is a violation and wraps (trap 3): y + 1 < y is not folded.
#include <assert.h>
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
int main(void) {
	int y = __VERIFIER_nondet_bool() ? 2147483647 : __VERIFIER_nondet_int();
	int less =
	    y + 1 // @overflow +
	    < y;
	if (less) assert(y == 2147483647);
	assert(less == 0); // @assertion
	return 0;
}
