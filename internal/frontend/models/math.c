// Models of the functions of math.h that IEEE 754 defines exactly; these are
// operations of ir. All others (sin, exp, pow, …) return any number: they have
// neither body nor model.
#include "assay_model.h"

#define EXACT1(name) \
	MODEL double name(double x) { return __builtin_##name(x); } \
	MODEL float name##f(float x) { return __builtin_##name##f(x); }
#define EXACT2(name) \
	MODEL double name(double x, double y) { return __builtin_##name(x, y); } \
	MODEL float name##f(float x, float y) { return __builtin_##name##f(x, y); }

EXACT1(fabs)
EXACT1(sqrt)
EXACT1(floor)
EXACT1(ceil)
EXACT1(trunc)
EXACT1(round)
EXACT1(rint)
EXACT1(nearbyint)
EXACT1(roundeven)
EXACT2(copysign)
EXACT2(fmin)
EXACT2(fmax)

MODEL double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
MODEL float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

// frem is the exact remainder, as fmod.
double __assay_fmod(double x, double y);
float __assay_fmodf(float x, float y);
MODEL double fmod(double x, double y) { return __assay_fmod(x, y); }
MODEL float fmodf(float x, float y) { return __assay_fmodf(x, y); }

MODEL double fdim(double x, double y) { return __builtin_isgreater(x, y) ? x - y : x != x || y != y ? x + y : 0; }

// The functions behind the macros isnan, isinf, ….
MODEL int isnan(double x) { return x != x; }
MODEL int __isnan(double x) { return x != x; }
MODEL int __isnanf(float x) { return x != x; }
MODEL int isinf(double x) { return __builtin_isinf_sign(x); }
MODEL int __isinf(double x) { return __builtin_isinf_sign(x); }
MODEL int __isinff(float x) { return __builtin_isinf_sign(x); }
MODEL int finite(double x) { return __builtin_isfinite(x); }
MODEL int __finite(double x) { return __builtin_isfinite(x); }
MODEL int __finitef(float x) { return __builtin_isfinite(x); }
MODEL int __signbit(double x) { return __builtin_signbit(x); }
MODEL int __signbitf(float x) { return __builtin_signbitf(x); }
MODEL int __fpclassify(double x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
MODEL int __fpclassifyf(float x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }

static long rounded(double x) { return (long)__builtin_rint(x); }
MODEL long lrint(double x) { return rounded(x); }
MODEL long lround(double x) { return (long)__builtin_round(x); }

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

// The mantissa and exponent of x: any, within their ranges.
MODEL double frexp(double x, int *exponent) {
	if (x == 0 || !__builtin_isfinite(x)) {
		*exponent = x == 0 ? 0 : __assay_nondet_int("frexp");
		return x;
	}
	double m = __assay_nondet_double("frexp");
	__assay_assume(m >= 0.5 && m < 1);
	int e = __assay_nondet_int("frexp");
	__assay_assume(e >= -1073 && e <= 1024);
	*exponent = e;
	return x < 0 ? -m : m;
}

MODEL double nan(const char *tag) { return __builtin_nan(""); }
MODEL float nanf(const char *tag) { return __builtin_nanf(""); }

// No function that changes the rounding mode is supported.
MODEL int fegetround(void) { return 0; }
