// Models of the functions of math.h whose results are rounded as the library
// likes. C says little about them; here they have the values at special
// arguments that Annex F of C11 prescribes, and stay within the range of the
// function. Everything else is over-approximated: no violation may hang on it.
#include "library.h"

#define NAN_OF(x) ((x) + (x))
#define IS_NAN(x) ((x) != (x))

// any, brought between the bounds.
static double between(double any, double low, double high) { return any >= low ? (any <= high ? any : high) : low; }

// C leaves it open whether errno says that an argument is outside of the domain, or a result beyond what can be
// represented; so may results that are too small.
static double invalid(void) {
	MATH_ERROR(1, ERROR_DOM, "errno");
	return __builtin_nan("");
}
static double range_error(double any) {
	if (__assay_uses("__errno_location") && __assay_approximate_bool("errno")) __assay_errno = ERROR_RANGE;
	return any;
}

#define INFINITE __builtin_inf()
// Bounds a little beyond pi and pi/2, so that rounding cannot leave them.
#define PI 3.1415927
#define HALF_PI 1.5707964

// The bodies are functions of the arguments and of any number.
#define FUNCTION1(name) \
	static double name##_of(double x, double any); \
	MODEL double name(double x) { return name##_of(x, range_error(__assay_approximate_double(#name))); } \
	MODEL float name##f(float x) { return (float)name##_of(x, range_error(__assay_approximate_double(#name "f"))); } \
	static double name##_of(double x, double any)
#define FUNCTION2(name) \
	static double name##_of(double x, double y, double any); \
	MODEL double name(double x, double y) { return name##_of(x, y, range_error(__assay_approximate_double(#name))); } \
	MODEL float name##f(float x, float y) { return (float)name##_of(x, y, range_error(__assay_approximate_double(#name "f"))); } \
	static double name##_of(double x, double y, double any)

FUNCTION1(sin) {
	if (x == 0 || IS_NAN(x)) return x;
	return __builtin_isinf(x) ? invalid() : between(any, -1, 1);
}
FUNCTION1(cos) {
	if (IS_NAN(x)) return x;
	return x == 0 ? 1 : __builtin_isinf(x) ? invalid() : between(any, -1, 1);
}
FUNCTION1(tan) {
	if (x == 0 || IS_NAN(x)) return x;
	return __builtin_isinf(x) ? invalid() : between(any, -INFINITE, INFINITE);
}
FUNCTION1(asin) {
	if (x == 0 || IS_NAN(x)) return x;
	return x < -1 || x > 1 ? invalid() : x > 0 ? between(any, 0, HALF_PI) : between(any, -HALF_PI, 0);
}
FUNCTION1(acos) {
	if (IS_NAN(x)) return x;
	return x == 1 ? 0 : x < -1 || x > 1 ? invalid() : between(any, 0, PI);
}
FUNCTION1(atan) {
	if (x == 0 || IS_NAN(x)) return x;
	return x > 0 ? between(any, 0, HALF_PI) : between(any, -HALF_PI, 0);
}
FUNCTION2(atan2) {
	if (IS_NAN(x) || IS_NAN(y)) return NAN_OF(x + y);
	if (x == 0 && (y > 0 || (y == 0 && !__builtin_signbit(y)))) return x;
	return __builtin_signbit(x) ? between(any, -PI, 0) : between(any, 0, PI);
}
FUNCTION1(sinh) {
	if (x == 0 || !__builtin_isfinite(x)) return x;
	return x > 0 ? between(any, 0, INFINITE) : between(any, -INFINITE, 0);
}
FUNCTION1(cosh) {
	if (IS_NAN(x)) return x;
	return x == 0 ? 1 : __builtin_isinf(x) ? INFINITE : between(any, 1, INFINITE);
}
FUNCTION1(tanh) {
	if (x == 0 || IS_NAN(x)) return x;
	return x > 0 ? between(any, 0, 1) : between(any, -1, 0);
}
FUNCTION1(asinh) {
	if (x == 0 || !__builtin_isfinite(x)) return x;
	return x > 0 ? between(any, 0, INFINITE) : between(any, -INFINITE, 0);
}
FUNCTION1(acosh) {
	if (IS_NAN(x)) return x;
	return x < 1 ? invalid() : x == 1 ? 0 : between(any, 0, INFINITE);
}
FUNCTION1(atanh) {
	if (x == 0 || IS_NAN(x)) return x;
	if (x == 1 || x == -1) return x * INFINITE;
	return x < -1 || x > 1 ? invalid() : x > 0 ? between(any, 0, INFINITE) : between(any, -INFINITE, 0);
}
static double exponential(double x, double any) {
	if (IS_NAN(x)) return x;
	if (x == 0) return 1;
	if (__builtin_isinf(x)) return x > 0 ? INFINITE : 0;
	return x > 0 ? between(any, 1, INFINITE) : between(any, 0, 1);
}
FUNCTION1(exp) { return exponential(x, any); }
FUNCTION1(exp2) { return exponential(x, any); }
FUNCTION1(expm1) {
	if (x == 0 || IS_NAN(x)) return x;
	if (__builtin_isinf(x)) return x > 0 ? INFINITE : -1;
	return x > 0 ? between(any, 0, INFINITE) : between(any, -1, 0);
}
static double logarithm(double x, double any) {
	if (IS_NAN(x)) return x;
	if (x == 0) return -INFINITE;
	if (x < 0) return invalid();
	if (x == 1) return 0;
	if (__builtin_isinf(x)) return x;
	return x > 1 ? between(any, 0, 1100) : between(any, -1100, 0);
}
FUNCTION1(log) { return logarithm(x, any); }
FUNCTION1(log2) { return logarithm(x, any); }
FUNCTION1(log10) { return logarithm(x, any); }
FUNCTION1(log1p) {
	if (x == 0 || IS_NAN(x)) return x;
	if (x == -1) return -INFINITE;
	if (x < -1) return invalid();
	if (__builtin_isinf(x)) return x;
	return x > 0 ? between(any, 0, 1100) : between(any, -1100, 0);
}
FUNCTION2(pow) {
	// 1, also for a quiet NaN; a signalling one makes a NaN.
	if (x == 1 || y == 0) return x == x && y == y ? 1 : any == 1 ? 1 : NAN_OF(x + y);
	if (IS_NAN(x) || IS_NAN(y)) return NAN_OF(x + y);
	if (y == 1) return x;
	_Bool whole = __builtin_isinf(y) || __builtin_trunc(y) == y;
	if (x < 0 && !whole && !__builtin_isinf(x)) return invalid();
	if (x < 0 && whole && !__builtin_isinf(y) && __builtin_fabs(y) < 0x1p53 && __builtin_trunc(y / 2) * 2 != y) return between(any, -INFINITE, 0);
	if (x == 0 && __builtin_signbit(x)) return between(any, -INFINITE, INFINITE);
	return between(any, 0, INFINITE);
}
FUNCTION1(cbrt) {
	if (x == 0 || !__builtin_isfinite(x)) return x;
	return x > 0 ? between(any, 0, x > 1 ? x : 1) : between(any, x < -1 ? x : -1, 0);
}
FUNCTION2(hypot) {
	_Bool infinite = __builtin_isinf(x) || __builtin_isinf(y);
	if (IS_NAN(x) || IS_NAN(y)) return infinite && any == 1 ? INFINITE : NAN_OF(x + y); // a signalling NaN counts
	if (infinite) return INFINITE;
	double a = __builtin_fabs(x), b = __builtin_fabs(y);
	if (a == 0 || b == 0) return a + b;
	return between(any, a > b ? a : b, INFINITE);
}
FUNCTION1(erf) {
	if (x == 0 || IS_NAN(x)) return x;
	return x > 0 ? between(any, 0, 1) : between(any, -1, 0);
}
FUNCTION1(erfc) { return IS_NAN(x) ? x : between(any, 0, 2); }
FUNCTION1(tgamma) { return IS_NAN(x) ? x : any; }
FUNCTION1(lgamma) { return IS_NAN(x) ? x : any; }

MODEL void sincos(double x, double *s, double *c) {
	*s = sin(x);
	*c = cos(x);
}

// Functions of long double may have any value, and fail.
long double __assay_any_extended(const char *name) {
	struct {
		uint64_t significand;
		uint16_t top;
	} bits = {(uint64_t)(unsigned)__assay_approximate_int(name) << 32 | (unsigned)__assay_approximate_int(name), (uint16_t)__assay_approximate_int(name)};
	if (bits.top & 0x7fff) bits.significand |= 1ull << 63;
	else bits.significand &= ~(1ull << 63);
	long double x = 0;
	__assay_memcpy(&x, &bits, 10);
	return x;
}
static long double any(const char *name) {
	if (__assay_approximate_bool(name)) __assay_fail(name);
	return __assay_any_extended(name);
}
#define ANY1(name) MODEL long double name(long double x) { return any(#name); }
#define ANY2(name) MODEL long double name(long double x, long double y) { return any(#name); }
ANY1(sinl)
ANY1(cosl)
ANY1(tanl)
ANY1(asinl)
ANY1(acosl)
ANY1(atanl)
ANY2(atan2l)
ANY1(sinhl)
ANY1(coshl)
ANY1(tanhl)
ANY1(asinhl)
ANY1(acoshl)
ANY1(atanhl)
ANY1(expl)
ANY1(exp2l)
ANY1(expm1l)
ANY1(logl)
ANY1(log2l)
ANY1(log10l)
ANY1(log1pl)
ANY2(powl)
ANY1(cbrtl)
ANY2(hypotl)
ANY1(erfl)
ANY1(erfcl)
ANY1(tgammal)
