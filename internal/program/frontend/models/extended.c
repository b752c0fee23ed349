// Arithmetic of x86's extended format, which long double has there: 80 bits, round to nearest even, as IEEE 754 has it for
// a format of 15 bits of exponent and 64 of precision [IEEE754], with the treatment of encodings that no operation
// makes that x87 has [Intel SDM, vol. 1, 4.8 and 8.2]. Package llvm puts calls of these functions
// where a program computes with long double (extended.go there).
//
//	  79   78 ... 64   63      62 ... 0
//	[sign][exponent ][integer][fraction ]
//
// An operand is a vector of two words: the significand, integer bit and fraction, and, behind it, sign and exponent.
// An operation takes its operands apart, computes with 128 bits, of which the lowest is 1 if anything below is not 0, and
// rounds. A NaN has the sign and payload that x87 gives it, or any others: no violation may rest on them.
#include "library.h"

typedef unsigned long long word;
typedef unsigned _BitInt(128) wide;
typedef unsigned _BitInt(256) twice;
typedef word extended __attribute__((vector_size(16)));

// What is undefined in C does not happen here (TestExtended runs with sanitizers); amounts of shifts are masked and
// divisors have their top bit set, so that this is seen without a proof.
#ifdef ASSAY_MODEL_H
#pragma clang attribute push(__attribute__((no_sanitize("shift", "signed-integer-overflow", "integer-divide-by-zero"))), apply_to = function)
#endif

#define BIAS 16383
#define SPECIAL 0x7fff
#define INTEGER (1ull << 63)

// number is what a pattern means: significand * 2^(exponent - BIAS - 63), with the sign. The exponent is at least 1.
struct number {
	_Bool negative, nan, infinite;
	int exponent;
	word significand;
};

static struct number decode(extended x) {
	struct number n = {x[1] >> 15 & 1, 0, 0, (int)(x[1] & SPECIAL), x[0]};
	_Bool whole = x[0] >> 63;
	if (n.exponent == 0) n.exponent = 1; // the integer bit counts, set or not
	else if (!whole) n.nan = 1; // an encoding that x87 does not take for an operand
	else if (n.exponent == SPECIAL) {
		n.infinite = x[0] == INTEGER;
		n.nan = !n.infinite;
	}
	return n;
}

static extended pattern(_Bool negative, int exponent, word significand) { return (extended){significand, (word)negative << 15 | (word)exponent}; }
static extended infinity(_Bool negative) { return pattern(negative, SPECIAL, INTEGER); }
static extended zero(_Bool negative) { return pattern(negative, 0, 0); }

static extended any_nan(extended x) {
	if (!PERHAPS("a NaN")) return x;
	word any = (word)__assay_nondet_long_long("a NaN");
	return pattern(any & 1, SPECIAL, INTEGER | INTEGER >> 1 | any >> 2);
}
static extended invalid(void) { return any_nan(pattern(1, SPECIAL, INTEGER | INTEGER >> 1)); }

// quiet is a NaN that an operation passes on.
static extended quiet(extended x) {
	if (x[0] < INTEGER) return invalid();
	x[0] |= INTEGER >> 1;
	return any_nan(x);
}
// either is the NaN that comes of two operands, of which one is one at least: that with the greater significand.
static extended either(extended x, struct number a, extended y, struct number b) {
	if (!a.nan) return quiet(y);
	if (!b.nan) return quiet(x);
	if (x[0] < INTEGER || y[0] < INTEGER) return invalid();
	if (x[0] != y[0]) return quiet(x[0] > y[0] ? x : y);
	return quiet(a.negative ? y : x);
}

static int leading_zeros(word m) { return m ? __builtin_clzll(m) : 64; }
static int wide_zeros(wide m) { return (word)(m >> 64) ? leading_zeros((word)(m >> 64)) : 64 + leading_zeros((word)m); }

// right shifts right; what falls out makes the lowest bit 1.
static wide right(wide m, int n) {
	if (n <= 0) return m;
	if (n > 127) return m != 0;
	return m >> (n & 127) | ((m & (((wide)1 << (n & 127)) - 1)) != 0);
}

// rounded is m * 2^(exponent - BIAS - 127), rounded.
static extended rounded(_Bool negative, int exponent, wide m) {
	if (m == 0) return zero(negative);
	int n = wide_zeros(m);
	m <<= n & 127;
	exponent -= n;
	if (exponent < 1) m = right(m, 1 - exponent);
	word kept = (word)(m >> 64), rest = (word)m;
	_Bool up = rest > INTEGER || (rest == INTEGER && (kept & 1));
	if (exponent < 1) {
		kept += up;
		return pattern(negative, (int)(kept >> 63), kept); // perhaps the least normal number
	}
	if (up && ++kept == 0) {
		kept = INTEGER;
		exponent++;
	}
	return exponent >= SPECIAL ? infinity(negative) : pattern(negative, exponent, kept);
}

extern int __assay_rounding;

// nearest says that the rounding mode is the only one that is modelled.
static void nearest(void) {
	if (__assay_uses("fesetround") && __assay_rounding != 0)
		__assay_unsupported("floating-point arithmetic in another rounding mode than to nearest");
}

static _Bool below(struct number a, struct number b) { return a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand); }

static extended sum(extended x, extended y, _Bool minus) {
	nearest();
	struct number a = decode(x), b = decode(y);
	if (a.nan || b.nan) return either(x, a, y, b);
	b.negative ^= minus;
	if (a.infinite && b.infinite && a.negative != b.negative) return invalid();
	if (a.infinite) return infinity(a.negative);
	if (b.infinite) return infinity(b.negative);
	if (a.significand == 0 && b.significand == 0) return zero(a.negative && b.negative);
	struct number big = a, small = b;
	if (below(a, b)) {
		big = b;
		small = a;
	}
	wide m = (wide)big.significand << 63, n = right((wide)small.significand << 63, big.exponent - small.exponent);
	if (big.negative == small.negative) return rounded(big.negative, big.exponent + 1, m + n);
	return rounded(m != n && big.negative, big.exponent + 1, m - n);
}
extended __assay_extended_add(extended x, extended y) { return sum(x, y, 0); }
extended __assay_extended_sub(extended x, extended y) { return sum(x, y, 1); }

extended __assay_extended_mul(extended x, extended y) {
	nearest();
	struct number a = decode(x), b = decode(y);
	if (a.nan || b.nan) return either(x, a, y, b);
	_Bool negative = a.negative != b.negative;
	if (a.infinite || b.infinite) return a.infinite && b.infinite ? infinity(negative) : (a.infinite ? b : a).significand ? infinity(negative) : invalid();
	return rounded(negative, a.exponent + b.exponent - BIAS + 1, (wide)a.significand * b.significand);
}

// normal makes the integer bit of a number 1 that is not 0.
static struct number normal(struct number a) {
	int n = leading_zeros(a.significand);
	a.significand <<= n & 63;
	a.exponent -= n;
	return a;
}

extended __assay_extended_div(extended x, extended y) {
	nearest();
	struct number a = decode(x), b = decode(y);
	if (a.nan || b.nan) return either(x, a, y, b);
	_Bool negative = a.negative != b.negative;
	if (a.infinite) return b.infinite ? invalid() : infinity(negative);
	if (b.infinite) return zero(negative);
	if (b.significand == 0) return a.significand ? infinity(negative) : invalid();
	if (a.significand == 0) return zero(negative);
	a = normal(a);
	b = normal(b);
	// The quotient has 64 bits; the remainder says what comes behind them.
	_Bool less = a.significand < b.significand;
	wide n = (wide)a.significand << (less ? 64 : 63), q = n / (b.significand | INTEGER), r = 2 * (n - q * b.significand);
	word rest = r == 0 ? 0 : r < b.significand ? 1 : r == b.significand ? INTEGER : INTEGER | 1;
	return rounded(negative, a.exponent - b.exponent + BIAS - less, q << 64 | rest);
}

// The remainder of a division whose quotient is rounded toward zero: it is exact.
extended __assay_extended_rem(extended x, extended y) {
	struct number a = decode(x), b = decode(y);
	if (a.nan || b.nan) return either(x, a, y, b);
	if (a.infinite || b.significand == 0) return invalid();
	if (b.infinite || below(a, b)) return rounded(a.negative, a.exponent, (wide)a.significand << 64);
	if (a.significand == 0) return zero(a.negative);
	a = normal(a);
	b = normal(b);
	word divisor = b.significand | INTEGER, m = a.significand % divisor;
	for (int left = a.exponent - b.exponent; left > 0; left -= 63) m = (word)(((wide)m << (left < 63 ? left & 63 : 63)) % divisor);
	return rounded(a.negative, b.exponent, (wide)m << 64);
}

extended __assay_extended_sqrt(extended x) {
	nearest();
	struct number a = decode(x);
	if (a.nan) return quiet(x);
	if (a.significand == 0) return zero(a.negative);
	if (a.negative) return invalid();
	if (a.infinite) return x;
	a = normal(a);
	_Bool odd = (a.exponent - BIAS) & 1;
	// Digit by digit: rest is what the square of root leaves of the number.
	wide rest = (wide)a.significand << (odd ? 64 : 63), root = 0;
	for (wide digit = (wide)1 << 126; digit; digit >>= 2) {
		_Bool fits = rest >= root + digit;
		if (fits) rest -= root + digit;
		root >>= 1;
		if (fits) root += digit;
	}
	word below = rest == 0 ? 0 : rest > root ? INTEGER | 1 : 1; // a square root lies never halfway
	return rounded(0, (a.exponent - BIAS - odd) / 2 + BIAS, root << 64 | below);
}

extended __assay_extended_fma(extended x, extended y, extended z) {
	nearest();
	struct number a = decode(x), b = decode(y), c = decode(z);
	_Bool negative = a.negative != b.negative;
	_Bool undefined = (a.infinite && !b.nan && b.significand == 0) || (b.infinite && !a.nan && a.significand == 0);
	if (a.nan || b.nan) return either(x, a, y, b);
	if (undefined) return invalid();
	if (c.nan) return quiet(z);
	if (a.infinite || b.infinite) return c.infinite && c.negative != negative ? invalid() : infinity(negative);
	if (c.infinite) return z;
	wide p = (wide)a.significand * b.significand;
	if (p == 0) return c.significand ? z : zero(negative && c.negative);
	int n = wide_zeros(p), e = a.exponent + b.exponent - BIAS + 1 - n;
	p <<= n & 127;
	if (c.significand == 0) return rounded(negative, e, p);
	c = normal(c);
	// Both with the top bit at 254.
	twice m = (twice)p << 127, k = (twice)c.significand << 191;
	int d = e - c.exponent;
	_Bool greater = d > 0 || (d == 0 && m >= k);
	twice big = greater ? m : k, small = greater ? k : m;
	int shift = greater ? d : -d;
	if (shift > 254) small = 1;
	else if (shift > 0) small = small >> (shift & 255) | ((small & (((twice)1 << (shift & 255)) - 1)) != 0);
	_Bool sign = greater ? negative : c.negative;
	int exponent = (greater ? e : c.exponent) + 1;
	if (negative == c.negative) big += small;
	else if (big == small) return zero(0);
	else big -= small;
	int zeros = (wide)(big >> 128) ? wide_zeros((wide)(big >> 128)) : 128 + wide_zeros((wide)big);
	big <<= zeros & 255;
	return rounded(sign, exponent - zeros, (wide)(big >> 128) | ((wide)big != 0));
}

// Only bits: a NaN keeps its payload.
extended __assay_extended_neg(extended x) { return (extended){x[0], x[1] ^ 0x8000}; }
extended __assay_extended_abs(extended x) { return (extended){x[0], x[1] & SPECIAL}; }
extended __assay_extended_copysign(extended x, extended y) { return (extended){x[0], (x[1] & SPECIAL) | (y[1] & 0x8000)}; }

// The lesser, or greater, number; the other operand if one is a NaN, even a signalling one. Of zeros the negative one is less.
static extended least(extended x, extended y, _Bool greatest) {
	struct number a = decode(x), b = decode(y);
	if (a.nan || b.nan) return a.nan && b.nan ? either(x, a, y, b) : a.nan ? y : x;
	_Bool less = a.negative != b.negative ? a.negative : a.infinite || b.infinite ? (a.negative ? a.infinite : b.infinite && !a.infinite) : a.negative ? below(b, a) : below(a, b);
	return less != greatest ? x : y;
}
extended __assay_extended_min(extended x, extended y) { return least(x, y, 0); }
extended __assay_extended_max(extended x, extended y) { return least(x, y, 1); }

// The order of two numbers: 0 equal, 1 greater, 2 less, 3 neither. These are the bits of LLVM's predicates.
unsigned __assay_extended_compare(extended x, extended y) {
	struct number a = decode(x), b = decode(y);
	if (a.nan || b.nan) return 3;
	if (a.significand == 0 && b.significand == 0) return 0;
	if (a.negative != b.negative) return a.negative ? 2 : 1;
	if (a.exponent == b.exponent && a.significand == b.significand) return 0;
	return below(a, b) != a.negative ? 2 : 1;
}

// The class, as in the mask of llvm.is.fpclass.
unsigned __assay_extended_class(extended x) {
	struct number a = decode(x);
	if (a.nan) return x[0] >> 62 == 3 ? 2 : 1;
	if (a.infinite) return a.negative ? 4 : 512;
	if (a.significand == 0) return a.negative ? 32 : 64;
	if (a.significand >= INTEGER) return a.negative ? 8 : 256;
	return a.negative ? 16 : 128;
}

// Rounding to a whole number.
enum mode { TO_EVEN, AWAY, TO_ZERO, UP, DOWN };
static extended integral(extended x, enum mode mode) {
	struct number a = decode(x);
	if (a.nan) return quiet(x);
	if (a.infinite || a.significand == 0 || a.exponent >= BIAS + 63) return x;
	int n = BIAS + 63 - a.exponent; // bits behind the point
	word whole = n < 64 ? a.significand >> (n & 63) : 0;
	word fraction = n < 64 ? a.significand & ((1ull << (n & 63)) - 1) : n == 64 ? a.significand : 1;
	word half = n <= 64 ? 1ull << ((n - 1) & 63) : 2;
	_Bool up = 0;
	switch (mode) {
	case TO_EVEN: up = fraction > half || (fraction == half && (whole & 1)); break;
	case AWAY: up = fraction >= half; break;
	case TO_ZERO: break;
	case UP: up = fraction && !a.negative; break;
	case DOWN: up = fraction && a.negative; break;
	}
	return rounded(a.negative, BIAS + 63, (wide)(whole + up) << 64);
}
extended __assay_extended_roundeven(extended x) { return integral(x, TO_EVEN); }
extended __assay_extended_round(extended x) { return integral(x, AWAY); }
extended __assay_extended_trunc(extended x) { return integral(x, TO_ZERO); }
extended __assay_extended_ceil(extended x) { return integral(x, UP); }
extended __assay_extended_floor(extended x) { return integral(x, DOWN); }
extended __assay_extended_rint(extended x) {
	int mode = __assay_uses("fesetround") ? __assay_rounding : 0;
	return integral(x, mode == 0x400 ? DOWN : mode == 0x800 ? UP : mode == 0xc00 ? TO_ZERO : TO_EVEN);
}

// Conversions from integers are exact.
extended __assay_extended_from_unsigned(word n) { return rounded(0, BIAS + 63, (wide)n << 64); }
extended __assay_extended_from_signed(long long n) { return rounded(n < 0, BIAS + 63, (wide)(n < 0 ? 0 - (word)n : (word)n) << 64); }

// To an integer of some bits, toward zero.
word __assay_extended_to_integer(extended x, unsigned width, _Bool is_signed) {
	struct number a = decode(x);
	word whole = a.exponent < BIAS ? 0 : a.exponent <= BIAS + 63 ? a.significand >> ((BIAS + 63 - a.exponent) & 63) : 0;
	word greatest = ~0ull >> ((64 - width) & 63) >> is_signed;
	_Bool fits = !a.nan && !a.infinite && (a.exponent <= BIAS + 63 || a.significand == 0) && (a.negative ? whole <= (is_signed ? greatest + 1 : 0) : whole <= greatest);
	__assay_check(fits, FLOAT_CONVERSION, "float does not fit the integer");
	if (!fits) {
		OVER_APPROXIMATED("a long double that does not fit");
		return (word)__assay_nondet_long_long("a long double that does not fit");
	}
	return a.negative ? 0 - whole : whole;
}

// narrow rounds to an interchange format with a fraction of some bits; widest is the exponent of infinity.
static word narrow(extended x, int fraction, int widest) {
	nearest();
	struct number a = decode(x);
	fraction &= 63;
	int width = (fraction + (widest > 255 ? 11 : 8)) & 63;
	word sign = (word)a.negative << width, top = (word)widest << fraction;
	if (a.nan) {
		x = quiet(x);
		return (x[1] >> 15) << width | top | (x[0] & ~INTEGER) >> (63 - fraction);
	}
	if (a.infinite) return sign | top;
	int e = a.exponent - BIAS + widest / 2;
	// The fraction with its hidden bit, behind it 32 bits, of which the lowest tells of what is lost.
	wide m = right((wide)a.significand << 64, 95 - fraction + (e < 1 ? 1 - e : 0));
	word kept = (word)(m >> 32), rest = (word)m & 0xffffffff;
	kept += rest > 0x80000000 || (rest == 0x80000000 && (kept & 1));
	word out = e < 1 ? kept : ((word)(e - 1) << fraction) + kept; // a carry goes on into the exponent
	return sign | (e >= widest || out > top ? top : out);
}
word __assay_extended_to_double(extended x) { return narrow(x, 52, 2047); }
unsigned __assay_extended_to_float(extended x) { return (unsigned)narrow(x, 23, 255); }

extended __assay_extended_from_double(word bits) {
	_Bool negative = bits >> 63;
	int e = (int)(bits >> 52 & 2047);
	word fraction = bits << 12 >> 1; // behind the integer bit
	if (e == 2047) return fraction ? quiet(pattern(negative, SPECIAL, INTEGER | fraction)) : infinity(negative);
	if (e == 0) return rounded(negative, BIAS - 1022, (wide)fraction << 64);
	return pattern(negative, e - 1023 + BIAS, INTEGER | fraction);
}

#ifdef ASSAY_MODEL_H
#pragma clang attribute pop
#endif
