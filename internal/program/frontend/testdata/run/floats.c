// IEEE arithmetic without fusing, on both machines (trap 7).
#include <assert.h>
_Bool __VERIFIER_nondet_bool(void);
double __VERIFIER_nondet_double(void);
float __VERIFIER_nondet_float(void);
int main(void) {
	volatile double a = 1.0 + 0x1p-30, b = 1.0 - 0x1p-30, c = -1.0;
	assert(a * b + c == 0.0); // a fused operation would give -2^-60
	volatile float f = 16777216.0f;
	assert(f + 1.0f == f); // x87 arithmetic would not
	volatile float t = 0.1f;
	assert((double)t != 0.1);
	double x = __VERIFIER_nondet_double();
	if (__VERIFIER_nondet_bool()) assert(x == x); // @assertion
	if (x < 1e300 && x > -1e300) assert(x - x == 0);
	assert(!(x < 1.0) == (x >= 1.0)); // @assertion
	assert((x > 1.0) == (1.0 < x));
	float y = __VERIFIER_nondet_float();
	if (y >= -1000.0f && y <= 1000.0f) { int i = (int)y; assert(i >= -1000 && i <= 1000); }
	int i = (int)y; // @float-conversion
	unsigned long long big = 0xffffffffffffffffull;
	assert((double)big == 0x1p64 && (float)(int)-7 == -7.0f);
	return 0 * (i != 0);
}
