// Models of the functions of math.h that IEEE 754 defines exactly; these are
// operations of ir, or computed from its bits. The others are in approximate.c.
#include "library.h"

// The bits of a long double.
struct extended {
	uint64_t significand;
	uint16_t top;
};

#define EXACT1(name) \
	MODEL double name(double x) { return __builtin_##name(x); } \
	MODEL float name##f(float x) { return __builtin_##name##f(x); } \
	MODEL long double name##l(long double x) { return __builtin_##name##l(x); }
#define EXACT2(name) \
	MODEL double name(double x, double y) { return __builtin_##name(x, y); } \
	MODEL float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
	MODEL long double name##l(long double x, long double y) { return __builtin_##name##l(x, y); }

EXACT1(fabs)
MODEL double sqrt(double x) {
	MATH_ERROR(x < 0, ERROR_DOM, "sqrt");
	return __builtin_sqrt(x);
}
MODEL float sqrtf(float x) {
	MATH_ERROR(x < 0, ERROR_DOM, "sqrtf");
	return __builtin_sqrtf(x);
}
MODEL long double sqrtl(long double x) {
	MATH_ERROR(x < 0, ERROR_DOM, "sqrtl");
	return __builtin_sqrtl(x);
}
EXACT1(floor)
EXACT1(ceil)
EXACT1(trunc)
EXACT1(round)
EXACT1(rint)
EXACT1(nearbyint)
EXACT1(roundeven)
EXACT2(copysign)
// Of zeros of both signs either one is the result (C11, F.10.9.2): glibc gives the second one, code that clang puts in its place the first one.
#define OF_ZEROS(name, type, suffix) \
	MODEL type name##suffix(type x, type y) { \
		if (x == 0 && y == 0 && !__builtin_signbit(x) != !__builtin_signbit(y)) return __assay_approximate_bool(#name) ? x : y; \
		return __builtin_##name##suffix(x, y); \
	}
OF_ZEROS(fmin, double, )
OF_ZEROS(fmin, float, f)
OF_ZEROS(fmin, long double, l)
OF_ZEROS(fmax, double, )
OF_ZEROS(fmax, float, f)
OF_ZEROS(fmax, long double, l)

// Results that are infinite, or 0 or below the normal numbers, of arguments that are not.
#define OVERFLOWS(r) __builtin_isinf(r)
#define UNDERFLOWS(r) (__builtin_fabs(r) < 0x1p-1022)
#define UNDERFLOWSL(r) (__builtin_fabsl(r) < 0x1p-16382L)
#define UNDERFLOWSF(r) (__builtin_fabsf(r) < 0x1p-126f)

MODEL double fma(double x, double y, double z) {
	double r = __builtin_fma(x, y, z);
	MATH_ERROR(!__builtin_isfinite(r) || UNDERFLOWS(r), __builtin_isnan(r) ? ERROR_DOM : ERROR_RANGE, "fma");
	return r;
}
MODEL float fmaf(float x, float y, float z) {
	float r = __builtin_fmaf(x, y, z);
	MATH_ERROR(!__builtin_isfinite(r) || UNDERFLOWSF(r), __builtin_isnan(r) ? ERROR_DOM : ERROR_RANGE, "fmaf");
	return r;
}
MODEL long double fmal(long double x, long double y, long double z) {
	long double r = __builtin_fmal(x, y, z);
	MATH_ERROR(!__builtin_isfinite(r) || UNDERFLOWSL(r), __builtin_isnan(r) ? ERROR_DOM : ERROR_RANGE, "fmal");
	return r;
}

// frem is the exact remainder, as fmod.
double __assay_fmod(double x, double y);
float __assay_fmodf(float x, float y);
long double __assay_fmodl(long double x, long double y); // an operation on long double, as + is
#define NO_REMAINDER(x, y) (__builtin_isinf(x) || y == 0)
MODEL double fmod(double x, double y) {
	MATH_ERROR(NO_REMAINDER(x, y), ERROR_DOM, "fmod");
	return __assay_fmod(x, y);
}
MODEL float fmodf(float x, float y) {
	MATH_ERROR(NO_REMAINDER(x, y), ERROR_DOM, "fmodf");
	return __assay_fmodf(x, y);
}
MODEL long double fmodl(long double x, long double y) {
	MATH_ERROR(NO_REMAINDER(x, y), ERROR_DOM, "fmodl");
	return __assay_fmodl(x, y);
}

#define DIFFERENCE(type, name) \
	MODEL type name(type x, type y) { \
		type r = __builtin_isgreater(x, y) ? x - y : x != x || y != y ? x + y : 0; \
		MATH_ERROR(OVERFLOWS(r), ERROR_RANGE, #name); \
		return r; \
	}
DIFFERENCE(double, fdim)
DIFFERENCE(float, fdimf)
DIFFERENCE(long double, fdiml)

// The remainder whose quotient is rounded to even: from the exact remainder.
MODEL double remainder(double x, double y) {
	MATH_ERROR(NO_REMAINDER(x, y), ERROR_DOM, "remainder");
	if (x != x || y != y || y == 0 || __builtin_isinf(x)) return __builtin_nan("");
	if (__builtin_isinf(y)) return x;
	double b = __builtin_fabs(y), r = __builtin_fabs(x);
	if (b <= 0x1p1022) r = __assay_fmod(r, b + b); // below 2b: the quotient's last bit stays
	if (b < 0x1p-1021) { // b/2 may not be a number
		if (r + r > b) {
			r -= b;
			if (r + r >= b) r -= b;
		}
	} else {
		double half = 0.5 * b;
		if (r > half) {
			r -= b;
			if (r >= half) r -= b;
		}
	}
	return __builtin_signbit(x) ? -r : r;
}

// The functions behind the macros isnan, isinf, ….
MODEL int isnan(double x) { return x != x; }
MODEL int __isnan(double x) { return x != x; }
MODEL int __isnanf(float x) { return x != x; }
MODEL int isinf(double x) { return __builtin_isinf_sign(x); }
MODEL int __isinf(double x) { return __builtin_isinf_sign(x); }
MODEL int __isinff(float x) { return __builtin_isinf_sign(x); }
MODEL int isfinite(double x) { return __builtin_isfinite(x); }
MODEL int isnormal(double x) { return __builtin_isnormal(x); }
MODEL int signbit(double x) { return __builtin_signbit(x); }
MODEL int finite(double x) { return __builtin_isfinite(x); }
MODEL int __finite(double x) { return __builtin_isfinite(x); }
MODEL int __finitef(float x) { return __builtin_isfinite(x); }
MODEL int isnanl(long double x) { return x != x; }
MODEL int __isnanl(long double x) { return x != x; }
MODEL int isinfl(long double x) { return __builtin_isinf_sign(x); }
MODEL int __isinfl(long double x) { return __builtin_isinf_sign(x); }
MODEL int finitel(long double x) { return __builtin_isfinite(x); }
MODEL int __finitel(long double x) { return __builtin_isfinite(x); }
MODEL int __signbitl(long double x) { return __builtin_signbitl(x); }
MODEL int __fpclassifyl(long double x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
// Builtins of gcc that clang does not know: they are called as undeclared functions, with doubles.
MODEL int __builtin_isnanf(double x) { return x != x; }
MODEL int __builtin_isinff(double x) { return __builtin_isinf_sign(x); }
MODEL int __builtin_finite(double x) { return __builtin_isfinite(x); }
MODEL int __builtin_finitef(double x) { return __builtin_isfinite(x); }
MODEL int __signbit(double x) { return __builtin_signbit(x); }
MODEL int __signbitf(float x) { return __builtin_signbitf(x); }
MODEL int __fpclassify(double x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
MODEL int __fpclassifyf(float x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }

MODEL long lrint(double x) { return (long)__builtin_rint(x); }
MODEL long lrintf(float x) { return (long)__builtin_rintf(x); }
MODEL long lround(double x) { return (long)__builtin_round(x); }
MODEL long lroundf(float x) { return (long)__builtin_roundf(x); }
MODEL long long llrint(double x) { return (long long)__builtin_rint(x); }
MODEL long long llrintf(float x) { return (long long)__builtin_rintf(x); }
MODEL long long llround(double x) { return (long long)__builtin_round(x); }
MODEL long long llroundf(float x) { return (long long)__builtin_roundf(x); }

MODEL long lrintl(long double x) { return (long)__builtin_rintl(x); }
MODEL long lroundl(long double x) { return (long)__builtin_roundl(x); }
MODEL long long llrintl(long double x) { return (long long)__builtin_rintl(x); }
MODEL long long llroundl(long double x) { return (long long)__builtin_roundl(x); }

MODEL double modf(double x, double *whole) {
	double i = __builtin_trunc(x);
	*whole = i;
	return __builtin_copysign(__builtin_isinf(x) ? 0 : x - i, x);
}

MODEL float modff(float x, float *whole) {
	float i = __builtin_truncf(x);
	*whole = i;
	return __builtin_copysignf(__builtin_isinf(x) ? 0 : x - i, x);
}

MODEL long double modfl(long double x, long double *whole) {
	long double i = __builtin_truncl(x);
	*whole = i;
	return __builtin_copysignl(__builtin_isinf(x) ? 0 : x - i, x);
}

// Scaling by a power of two, in steps that do not round twice: only the last
// one may give a subnormal number.
static double scaled(double x, int n) {
	for (int i = 0; i < 2 && n > 1023; i++) {
		x *= 0x1p1023;
		n -= 1023;
	}
	for (int i = 0; i < 2 && n < -969; i++) {
		x *= 0x1p-969;
		n += 969;
	}
	if (n > 1023) n = 1023;
	if (n < -969) n = -969;
	uint64_t bits = (uint64_t)(n + 1023) << 52;
	double power;
	__assay_memcpy(&power, &bits, 8);
	return x * power;
}
MODEL double ldexp(double x, int n) {
	double r = scaled(x, n);
	MATH_ERROR(OVERFLOWS(r) || UNDERFLOWS(r), ERROR_RANGE, "ldexp");
	return r;
}
MODEL float ldexpf(float x, int n) {
	float r = (float)scaled(x, n);
	MATH_ERROR(OVERFLOWS(r) || UNDERFLOWSF(r), ERROR_RANGE, "ldexpf");
	return r;
}
static long double scaledl(long double x, int n) {
	for (int i = 0; i < 2 && n > 16383; i++) {
		x *= 0x1p16383L;
		n -= 16383;
	}
	for (int i = 0; i < 2 && n < -16318; i++) {
		x *= 0x1p-16318L;
		n += 16318;
	}
	if (n > 16383) n = 16383;
	if (n < -16318) n = -16318;
	struct extended bits = {1ull << 63, (uint16_t)(n + 16383)};
	long double power = 0;
	__assay_memcpy(&power, &bits, 10);
	return x * power;
}
MODEL long double ldexpl(long double x, int n) {
	long double r = scaledl(x, n);
	MATH_ERROR(OVERFLOWS(r) || UNDERFLOWSL(r), ERROR_RANGE, "ldexpl");
	return r;
}
MODEL long double scalbnl(long double x, int n) { return ldexpl(x, n); }
MODEL long double scalblnl(long double x, long n) { return ldexpl(x, n > 99999 ? 99999 : n < -99999 ? -99999 : (int)n); }
MODEL double scalbn(double x, int n) { return ldexp(x, n); }
MODEL float scalbnf(float x, int n) { return ldexpf(x, n); }
MODEL double scalbln(double x, long n) { return ldexp(x, n > 9999 ? 9999 : n < -9999 ? -9999 : (int)n); }

// x is m * 2^exponent with 0.5 <= |m| < 1: the exponent is in the bits.
MODEL double frexp(double x, int *exponent) {
	if (x == 0 || !__builtin_isfinite(x)) {
		*exponent = 0;
		return x;
	}
	int e = 0;
	if (__builtin_fabs(x) < 0x1p-1022) {
		x *= 0x1p54;
		e = -54;
	}
	uint64_t bits;
	__assay_memcpy(&bits, &x, 8);
	*exponent = e + (int)(bits >> 52 & 0x7ff) - 1022;
	bits = (bits & ~(0x7ffull << 52)) | 0x3feull << 52;
	__assay_memcpy(&x, &bits, 8);
	return x;
}
MODEL long double frexpl(long double x, int *exponent) {
	if (x == 0 || !__builtin_isfinite(x)) {
		*exponent = 0;
		return x;
	}
	int e = 0;
	if (__builtin_fabsl(x) < 0x1p-16382L) {
		x *= 0x1p65L;
		e = -65;
	}
	struct extended bits;
	__assay_memcpy(&bits, &x, 10);
	*exponent = e + (bits.top & 0x7fff) - 16382;
	bits.top = (bits.top & 0x8000) | 16382;
	__assay_memcpy(&x, &bits, 10);
	return x;
}
MODEL float frexpf(float x, int *exponent) { return (float)frexp(x, exponent); }

MODEL int ilogb(double x) {
	MATH_ERROR(x == 0 || !__builtin_isfinite(x), ERROR_DOM, "ilogb");
	if (x == 0) return -2147483647 - 1; // FP_ILOGB0
	if (x != x) return -2147483647 - 1; // FP_ILOGBNAN
	if (__builtin_isinf(x)) return 2147483647;
	int e;
	frexp(x, &e);
	return e - 1;
}
MODEL double logb(double x) {
	MATH_ERROR(x == 0, ERROR_RANGE, "logb");
	if (x == 0) return -__builtin_inf();
	if (!__builtin_isfinite(x)) return x * x;
	return ilogb(x);
}

// The next number in the direction of y.
MODEL double nextafter(double x, double y) {
	if (x != x || y != y) return x + y;
	if (x == y) return y;
	MATH_ERROR(x == 0, ERROR_RANGE, "nextafter");
	if (x == 0) return y > 0 ? 0x1p-1074 : -0x1p-1074;
	uint64_t bits;
	__assay_memcpy(&bits, &x, 8);
	if ((x < y) == (x > 0)) bits++;
	else bits--;
	__assay_memcpy(&x, &bits, 8);
	MATH_ERROR(OVERFLOWS(x) || UNDERFLOWS(x), ERROR_RANGE, "nextafter");
	return x;
}
MODEL float nextafterf(float x, float y) {
	if (x != x || y != y) return x + y;
	if (x == y) return y;
	MATH_ERROR(x == 0, ERROR_RANGE, "nextafterf");
	if (x == 0) return y > 0 ? 0x1p-149f : -0x1p-149f;
	uint32_t bits;
	__assay_memcpy(&bits, &x, 4);
	if ((x < y) == (x > 0)) bits++;
	else bits--;
	__assay_memcpy(&x, &bits, 4);
	MATH_ERROR(OVERFLOWS(x) || UNDERFLOWSF(x), ERROR_RANGE, "nextafterf");
	return x;
}

MODEL double nan(const char *tag) { return __builtin_nan(""); }
MODEL float nanf(const char *tag) { return __builtin_nanf(""); }
