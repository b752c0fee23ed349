// The checks of C's arithmetic, with their kinds (trap 4).
// runs: 500
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
char __VERIFIER_nondet_char(void);
long long __VERIFIER_nondet_longlong(void);
_Bool __VERIFIER_nondet_bool(void);
int main(void) {
	int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), r;
	if (__VERIFIER_nondet_bool()) a = __VERIFIER_nondet_bool() ? 2147483647 : -2147483647 - 1;
	unsigned u = __VERIFIER_nondet_uint(), v = __VERIFIER_nondet_uint();
	char c = __VERIFIER_nondet_char(), d = __VERIFIER_nondet_char();
	long long l = __VERIFIER_nondet_longlong(), m = __VERIFIER_nondet_longlong();
	r = a + b; // @overflow +
	r = a - b; // @overflow -
	r = a * b; // @overflow *
	r = -a; // @overflow unary -
	r = a; r++; // @overflow +
	r = a; r -= 1; // @overflow -
	l += m; // @overflow +
	u = u + v; u *= v; u = -u; // unsigned arithmetic wraps
	c = c + d; c++; c *= d; // done in int
	r = c - d;
	if (b != 0 && !(a == -2147483647 - 1 && b == -1)) { r = a / b; r = a % b; }
	if (b == 0) r = a / b; // @div-by-zero division
	if (b == 0) r = a % b; // @div-by-zero remainder
	if (v == 0) u = u / v; // @div-by-zero division
	int e = __VERIFIER_nondet_bool() ? -1 : 1;
	r = a / e; // @overflow /
	r = a % e; // @overflow %
	if (d != 0) c = c / d;
	if (d == 0) c /= d; // @div-by-zero
	if (b >= 0 && b < 32) { r = a >> b; u = u << b; u >>= b; }
	if (b < 0 || b > 31) r = a >> b; // @shift
	if (b < 0 || b > 31) u = u << b; // @shift
	if (b < 0 || b > 31) r = 1 << b; // @shift
	if (b > 0 && b < 31) r = a << b; // @shift-overflow
	r = a << 3; // @shift-overflow
	if (a >= 0 && a < 16) { r = a << 3; r = a << 27; }
	if (b >= 0 && b < 64) l = m >> b;
	if (b > 0 && b < 64) l = m << b; // @shift-overflow
	if (u > 63) l = m >> u; // @shift
	return 0;
}
