// Compares models/extended.c with the processor: all pairs of special patterns, and N random ones, for each operation.
#define LIBRARY_H
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int other_nan, failed_check;
#define PERHAPS(name) other_nan
#define OVER_APPROXIMATED(name) ((void)0)
#define __assay_nondet_long_long(name) 0
#define __assay_uses(names) 0
#define __assay_unsupported(what) abort()
#define FLOAT_CONVERSION 5
#define __assay_check(condition, kind, text) ((condition) ? (void)0 : (void)(failed_check = 1))
int __assay_rounding;
#include "../models/extended.c"

static extended bits(long double v) {
	extended x = {0, 0};
	memcpy(&x, &v, 10);
	return x;
}
static long double value(extended x) {
	long double v;
	memcpy(&v, &x, 10);
	return v;
}

static long wrong, compared;
static void report(const char *name, extended x, extended y, extended got, extended want) {
	if (wrong++ < 20) printf("%s %04llx:%016llx %04llx:%016llx: %04llx:%016llx, the processor has %04llx:%016llx\n", name, x[1], x[0], y[1], y[0], got[1], got[0], want[1], want[0]);
}
static void same(const char *name, extended x, extended y, extended got, long double native) {
	extended want = bits(native);
	compared++;
	if (got[0] != want[0] || (got[1] & 0xffff) != (want[1] & 0xffff)) report(name, x, y, got, want);
}
// Where the processor has no instruction, which NaN it is may differ.
static void alike(const char *name, extended x, extended y, extended got, long double native) {
	extended want = bits(native);
	compared++;
	if (decode(got).nan && decode(want).nan) return;
	if (got[0] != want[0] || (got[1] & 0xffff) != (want[1] & 0xffff)) report(name, x, y, got, want);
}
static void equal(const char *name, extended x, extended y, uint64_t got, uint64_t want) {
	compared++;
	if (got != want) report(name, x, y, (extended){got, 0}, (extended){want, 0});
}

static uint64_t seed = 1;
static uint64_t any(void) {
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

#define ASM1(name, instruction) \
	static long double name(long double a) { \
		__asm__ volatile(instruction : "+t"(a)); \
		return a; \
	}
ASM1(native_sqrt, "fsqrt")

// All instructions, so that no compiler folds anything.
static long double remainder_of(long double a, long double b) {
	unsigned short status;
	do __asm__ volatile("fprem\n\tfnstsw %1" : "+t"(a), "=a"(status) : "u"(b)); while (status & 0x400);
	return a;
}
static unsigned order(long double a, long double b) { return isunordered(a, b) ? 3 : a < b ? 2 : a > b ? 1 : 0; }
static _Bool signalling(extended x) { return decode(x).nan && !(x[0] >> 62 & 1); }
static _Bool canonical(extended x) { return !(x[1] & 0x7fff) == !(x[0] >> 63); }

static void pair(extended x, extended y, extended z) {
	volatile long double a = value(x), b = value(y), c = value(z);
	same("add", x, y, __assay_extended_add(x, y), a + b);
	same("sub", x, y, __assay_extended_sub(x, y), a - b);
	same("mul", x, y, __assay_extended_mul(x, y), a * b);
	same("div", x, y, __assay_extended_div(x, y), a / b);
	same("rem", x, y, __assay_extended_rem(x, y), remainder_of(a, b));
	equal("compare", x, y, __assay_extended_compare(x, y), order(a, b));
	if (canonical(x) && canonical(y) && canonical(z)) alike("fma", x, y, __assay_extended_fma(x, y, z), fmal(a, b, c));
	if (canonical(x) && canonical(y) && a != b && !signalling(x) && !signalling(y)) { // glibc makes those quiet
		alike("min", x, y, __assay_extended_min(x, y), fminl(a, b));
		alike("max", x, y, __assay_extended_max(x, y), fmaxl(a, b));
	}
}

static void single(extended x) {
	volatile long double a = value(x);
	same("sqrt", x, x, __assay_extended_sqrt(x), native_sqrt(a));
	volatile double d = (double)a;
	volatile float f = (float)a;
	uint64_t b;
	uint32_t b4;
	memcpy(&b, (void *)&d, 8);
	memcpy(&b4, (void *)&f, 4);
	equal("to_double", x, x, __assay_extended_to_double(x), b);
	equal("to_float", x, x, __assay_extended_to_float(x), b4);
	d = 0;
	memcpy((void *)&d, &x, 8); // any double
	same("from_double", x, x, __assay_extended_from_double(x[0]), d);
	same("from_signed", x, x, __assay_extended_from_signed((long long)x[0]), (long long)x[0]);
	same("from_unsigned", x, x, __assay_extended_from_unsigned(x[0]), x[0]);
	same("neg", x, x, __assay_extended_neg(x), -a);
	if (!canonical(x)) return;
	alike("rint", x, x, __assay_extended_rint(x), rintl(a));
	alike("roundeven", x, x, __assay_extended_roundeven(x), rintl(a));
	alike("round", x, x, __assay_extended_round(x), roundl(a));
	alike("trunc", x, x, __assay_extended_trunc(x), truncl(a));
	alike("ceil", x, x, __assay_extended_ceil(x), ceill(a));
	alike("floor", x, x, __assay_extended_floor(x), floorl(a));
	same("abs", x, x, __assay_extended_abs(x), fabsl(a));
	static const unsigned classes[] = {[FP_NAN] = 3, [FP_INFINITE] = 516, [FP_ZERO] = 96, [FP_SUBNORMAL] = 144, [FP_NORMAL] = 264};
	unsigned class = __assay_extended_class(x);
	equal("class", x, x, class & classes[fpclassify(a)], class);
	for (int width = 1; width <= 64; width++)
		for (int is_signed = 0; is_signed < 2; is_signed++) {
			failed_check = 0;
			word n = __assay_extended_to_integer(x, (unsigned)width, is_signed);
			long double low = is_signed ? -ldexpl(1, width - 1) : 0, high = ldexpl(1, is_signed ? width - 1 : width), t = truncl(a);
			_Bool fits = t >= low && t < high;
			equal("fits", x, x, !failed_check, fits);
			if (fits) equal("to_integer", x, x, n, a < 0 ? (word)(long long)a : a >= 0x1p63L ? (word)(a - 0x1p63L) + INTEGER : (word)a);
		}
}

int main(int argc, char **argv) {
	extended special[400];
	int n = 0;
	static const uint64_t exponents[] = {0, 1, 2, 63, 64, BIAS - 1076, BIAS - 1075, BIAS - 1074, BIAS - 1023, BIAS - 1022, BIAS - 150, BIAS - 127, BIAS - 2, BIAS - 1, BIAS, BIAS + 31, BIAS + 62, BIAS + 63, BIAS + 64, BIAS + 127, BIAS + 1023, BIAS + 1024, 0x7ffe, 0x7fff};
	static const uint64_t significands[] = {0, 1, INTEGER, INTEGER | 1, INTEGER >> 1, INTEGER | INTEGER >> 1, ~0ull, INTEGER | 0x400, INTEGER | 0xc00};
	for (size_t i = 0; i < sizeof exponents / 8; i++)
		for (size_t j = 0; j < sizeof significands / 8; j++) special[n++] = (extended){significands[j], exponents[i] | (i + j) % 2 << 15};
	for (int i = 0; i < n; i++) {
		single(special[i]);
		for (int j = 0; j < n; j++) pair(special[i], special[j], special[any() % n]);
	}
	for (long k = atol(argv[1]); k > 0; k--) {
		extended x = {any() | INTEGER, any() & 0xffff}, y = {any() | INTEGER, any() & 0xffff}, z = {any() | INTEGER, any() & 0xffff};
		if (k % 2) y[1] = (x[1] + any() % 140 - 70) & 0xffff; // near to each other
		if (k % 3) z[1] = (x[1] + y[1] - BIAS + any() % 300 - 150) & 0xffff;
		if (k % 4 == 0) x[1] = (BIAS - 70 + any() % 140) | (x[1] & 0x8000);
		if (k % 5 == 0) x[0] &= ~0ull << any() % 63, y[0] &= ~0ull << any() % 63;
		if (k % 64 == 0) single(x);
		pair(x, y, z);
	}
	printf("%ld comparisons, %ld wrong\n", compared, wrong);
	return wrong != 0;
}
