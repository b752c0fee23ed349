#define _GNU_SOURCE
#include "library.h"
#include <math.h>

static void number(double x, const char *name) {
	uint64_t bits;
	memcpy(&bits, &x, 8);
	observe(x != x ? 1 : bits, name);
}

static double any(void) {
	uint64_t bits = __VERIFIER_nondet_ulonglong();
	double x;
	switch (below(6)) {
	case 0: bits &= ~(0x7ffull << 52); break; // subnormal
	case 1: bits &= 0xffull << 56; break;
	case 2: return (double)((long long)bits >> below(64));
	case 3: bits |= 0xfffull << 51; break; // infinities are made below
	case 4: bits = (bits & ~(0x7ffull << 52)) | (uint64_t)(1000 + below(60)) << 52; break;
	}
	if (below(16) == 0) bits = (bits & 1ull << 63) | 0x7ffull << 52;
	memcpy(&x, &bits, 8);
	// A signalling NaN is no argument for a comparison of libraries.
	return x != x ? NAN : x;
}

#define NUMBER(x) number(x, #x)

int main(void) {
	double x = any(), y = any(), whole;
	int e, n = (int)below(5000) - 2500;
	if (below(2)) n /= 50;
	NUMBER(ldexp(x, n));
	NUMBER(scalbn(y, n));
	NUMBER(ldexpf((float)x, n));
	NUMBER(frexp(x, &e));
	if (isfinite(x)) OBSERVE(e);
	NUMBER(frexpf((float)y, &e));
	if (isfinite((float)y)) OBSERVE(e);
	OBSERVE(ilogb(x));
	NUMBER(logb(y));
	NUMBER(nextafter(x, y));
	NUMBER(nextafterf((float)x, (float)y));
	NUMBER(remainder(x, y));
	NUMBER(remainder(x, 3));
	NUMBER(fmod(x, y));
	NUMBER(fdim(x, y));
	NUMBER(modf(x, &whole));
	NUMBER(whole);
	NUMBER(copysign(x, y));
	NUMBER(floor(x));
	NUMBER(round(y));
	NUMBER(rint(x));
	NUMBER(fma(x, y, 1));
	NUMBER(sqrt(x));
	NUMBER(sin(0.0));
	if (x == x) NUMBER(pow(x, 0));
	NUMBER(exp(0.0));
	NUMBER(log(1.0));
	NUMBER(hypot(x, 0));
	NUMBER(cosh(-INFINITY));
	if (x < 1e9 && x > -1e9) OBSERVE(lrint(x));
	if (x < 1e9 && x > -1e9) OBSERVE(llround(x));
	return 0;
}
