// Models of the conversions of text to numbers: strtol and its relatives are
// exact; of a floating-point number only where it ends is known, its value is
// not, except for plain integers.
#include "library.h"

#include <limits.h>

struct integer __assay_integer(const char *s, size_t limit, int base, size_t *used) {
	struct integer r = {0, 0, 0};
	size_t i = 0;
	*used = 0;
	if (i < limit && (s[i] == '-' || s[i] == '+')) r.negative = s[i++] == '-';
	if (i + 2 < limit && (base == 0 || base == 16) && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X') && digit_value(s[i + 2]) < 16) {
		i += 2;
		base = 16;
	}
	if (base == 0) base = i < limit && s[i] == '0' ? 8 : 10;
	for (; i < limit; i++) {
		unsigned digit = digit_value(s[i]);
		if (digit >= (unsigned)base) break;
		unsigned long long shifted;
		if (__builtin_mul_overflow(r.magnitude, (unsigned long long)base, &shifted) || __builtin_add_overflow(shifted, digit, &r.magnitude)) {
			r.overflow = 1;
			r.magnitude = 0;
		}
		*used = i + 1;
	}
	return r;
}

// As of C23 there are binary numbers, 0b101.
static struct integer convert(const char *s, char **end, int base, _Bool binary) {
	size_t start = 0, used = 0;
	struct integer r = {0, 0, 0};
	if (base < 0 || base == 1 || base > 36) {
		__assay_errno = ERROR_INVAL; // and glibc leaves the end alone
		return r;
	}
	while (is_space(s[start])) start++;
	size_t sign = s[start] == '-' || s[start] == '+';
	const char *prefix = s + start + sign;
	if (binary && (base == 0 || base == 2) && prefix[0] == '0' && (prefix[1] == 'b' || prefix[1] == 'B') && digit_value(prefix[2]) < 2) {
		r = __assay_integer(prefix + 2, (size_t)-1, 2, &used);
		r.negative = s[start] == '-';
		used += sign + 2;
	} else {
		r = __assay_integer(s + start, (size_t)-1, base, &used);
	}
	if (end) *end = (char *)s + (used ? start + used : 0);
	return r;
}

#define SIGNED(type, name, binary, least, greatest) \
	MODEL type name(const char *restrict s, char **restrict end, int base) { \
		struct integer r = convert(s, end, base, binary); \
		if (r.overflow || r.magnitude > (unsigned long long)greatest + r.negative) { \
			__assay_errno = ERROR_RANGE; \
			return r.negative ? least : greatest; \
		} \
		return (type)(r.negative ? -r.magnitude : r.magnitude); \
	}

#define UNSIGNED(type, name, binary, greatest) \
	MODEL type name(const char *restrict s, char **restrict end, int base) { \
		struct integer r = convert(s, end, base, binary); \
		if (r.overflow || r.magnitude > greatest) { \
			__assay_errno = ERROR_RANGE; \
			return greatest; \
		} \
		return (type)(r.negative ? -r.magnitude : r.magnitude); \
	}

SIGNED(long, strtol, 0, LONG_MIN, LONG_MAX)
SIGNED(long, __isoc23_strtol, 1, LONG_MIN, LONG_MAX)
SIGNED(long long, strtoll, 0, LLONG_MIN, LLONG_MAX)
SIGNED(long long, __isoc23_strtoll, 1, LLONG_MIN, LLONG_MAX)
SIGNED(long long, strtoimax, 0, LLONG_MIN, LLONG_MAX)
UNSIGNED(unsigned long, strtoul, 0, ULONG_MAX)
UNSIGNED(unsigned long, __isoc23_strtoul, 1, ULONG_MAX)
UNSIGNED(unsigned long long, strtoull, 0, ULLONG_MAX)
UNSIGNED(unsigned long long, __isoc23_strtoull, 1, ULLONG_MAX)
UNSIGNED(unsigned long long, strtoumax, 0, ULLONG_MAX)

// C leaves a number out of range undefined; this is what glibc does.
MODEL int atoi(const char *s) { return (int)strtol(s, 0, 10); }
MODEL long atol(const char *s) { return strtol(s, 0, 10); }
MODEL long long atoll(const char *s) { return strtoll(s, 0, 10); }

// Whether a word is a prefix of s, in any case; word is in lower case.
static _Bool begins(const char *s, const char *word) {
	for (; *word; s++, word++)
		if (*s != *word && *s != *word - 32) return 0;
	return 1;
}

// The length of a floating-point number in decimal or hexadecimal notation,
// 0 if there is none. An integer below 2^53 is exact.
static size_t floating(const char *s, double *value, _Bool *exact) {
	size_t i = 0, digits = 0;
	_Bool negative = 0;
	unsigned base = 10;
	unsigned long long n = 0;
	*exact = 0;
	if (s[i] == '-' || s[i] == '+') negative = s[i++] == '-';
	if (begins(s + i, "inf")) {
		*value = negative ? -__builtin_inf() : __builtin_inf();
		*exact = 1;
		return i + (begins(s + i, "infinity") ? 8 : 3);
	}
	if (begins(s + i, "nan")) {
		*value = __builtin_nan("");
		*exact = 1;
		size_t k = i + 3;
		if (s[k] == '(') {
			do k++;
			while (digit_value(s[k]) < 36 || s[k] == '_');
			if (s[k] == ')') return k + 1;
		}
		return i + 3;
	}
	if (s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X') && (digit_value(s[i + 2]) < 16 || (s[i + 2] == '.' && digit_value(s[i + 3]) < 16))) {
		i += 2;
		base = 16;
	}
	_Bool small = 1;
	for (; digit_value(s[i]) < base; i++, digits++) {
		n = n * base + digit_value(s[i]);
		if (n >= 1ull << 53) {
			small = 0;
			n = 0;
		}
	}
	*exact = small;
	if (s[i] == '.' && (digits > 0 || digit_value(s[i + 1]) < base)) {
		for (i++; digit_value(s[i]) < base; i++, digits++)
			if (s[i] != '0') *exact = 0;
	}
	if (digits == 0) return 0;
	char e = base == 10 ? 'e' : 'p';
	if (s[i] == e || s[i] == e - 32) {
		size_t k = i + 1;
		if (s[k] == '-' || s[k] == '+') k++;
		if (digit_value(s[k]) < 10) {
			*exact = 0;
			while (digit_value(s[k]) < 10) k++;
			i = k;
		}
	}
	if (*exact) *value = negative ? -(double)n : (double)n;
	return i;
}

static _Bool hexadecimal(const char *s) {
	if (*s == '-' || *s == '+') s++;
	return s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
}

// Natural numbers of up to BIG words, least first, for exact conversions.
enum { BIG = 288, MOST_DIGITS = 800 };
struct big {
	int n; // words that may not be 0
	unsigned word[BIG];
};

static void times(struct big *b, unsigned factor, unsigned long long carry) {
	for (int i = 0; i < b->n; i++) {
		carry += (unsigned long long)b->word[i] * factor;
		b->word[i] = (unsigned)carry;
		carry >>= 32;
	}
	if (carry) b->word[b->n++] = (unsigned)carry;
}

static void shift_left(struct big *b, int bits) {
	int words = bits / 32;
	if (words) {
		for (int i = b->n - 1; i >= 0; i--) b->word[i + words] = b->word[i];
		for (int i = 0; i < words; i++) b->word[i] = 0;
		b->n += words;
	}
	if (bits % 32) times(b, 1u << (bits % 32), 0);
}

static void halve(struct big *b) {
	for (int i = 0; i < b->n; i++) b->word[i] = b->word[i] >> 1 | (i + 1 < b->n ? b->word[i + 1] << 31 : 0);
	if (b->n > 0 && b->word[b->n - 1] == 0) b->n--;
}

static int compare(const struct big *a, const struct big *b) {
	if (a->n != b->n) return a->n < b->n ? -1 : 1;
	for (int i = a->n - 1; i >= 0; i--)
		if (a->word[i] != b->word[i]) return a->word[i] < b->word[i] ? -1 : 1;
	return 0;
}

// a -= b, where a >= b.
static void subtract(struct big *a, const struct big *b) {
	unsigned borrow = 0;
	for (int i = 0; i < a->n; i++) {
		unsigned long long d = (unsigned long long)a->word[i] - (i < b->n ? b->word[i] : 0) - borrow;
		a->word[i] = (unsigned)d;
		borrow = d >> 63;
	}
	while (a->n > 0 && a->word[a->n - 1] == 0) a->n--;
}

static int bits_of(const struct big *b) {
	int n = 32 * b->n;
	for (unsigned top = b->word[b->n - 1]; top < 1u << 31; top <<= 1) n--;
	return n;
}

static double double_of(unsigned long long bits) {
	double d;
	__assay_memcpy(&d, &bits, sizeof d);
	return d;
}

// decimal is the number in decimal notation at s, which has one, rounded to nearest even: to
// precision bits, above 2^least. *range says that it is too large, or inexact below the normal numbers.
static double decimal(const char *s, int precision, int least, int most, _Bool *range) {
	struct big a, b;
	a.n = 0;
	b.n = 1;
	b.word[0] = 1;
	long exponent = 0, e = 0;
	int taken = 0;
	_Bool point = 0, more = 0, down = 0;
	if (*s == '-' || *s == '+') s++;
	for (;; s++) {
		if (*s == '.' && !point) {
			point = 1;
			continue;
		}
		if (digit_value(*s) >= 10) break;
		unsigned d = digit_value(*s);
		if (taken < MOST_DIGITS) {
			if (taken > 0 || d > 0) {
				times(&a, 10, d);
				taken++;
			}
			exponent -= point;
		} else {
			more = more || d > 0;
			exponent += !point;
		}
	}
	if ((*s == 'e' || *s == 'E') && (digit_value(s[1]) < 10 || ((s[1] == '-' || s[1] == '+') && digit_value(s[2]) < 10))) {
		s++;
		down = *s == '-';
		if (down || *s == '+') s++;
		for (; digit_value(*s) < 10; s++)
			if (e < 100000000) e = e * 10 + digit_value(*s);
	}
	exponent += down ? -e : e;
	*range = 0;
	if (taken == 0) return 0;
	if (more) { // what follows matters for halves only
		times(&a, 10, 1);
		exponent--;
		taken++;
	}
	*range = 1;
	if (taken + exponent > 400) return __builtin_inf();
	if (taken + exponent < -400) return 0;
	for (long i = 0; i < exponent; i++) times(&a, 10, 0);
	for (long i = 0; i < -exponent; i++) times(&b, 10, 0);
	// a / b, in units of 2^unit, has precision bits, or fewer.
	int unit = bits_of(&a) - bits_of(&b) - precision;
	if (unit < least) unit = least;
	if (unit > 0) shift_left(&b, unit);
	if (unit < 0) shift_left(&a, -unit);
	unsigned long long m = 0;
	shift_left(&b, precision + 1);
	for (int i = 0; i <= precision + 1; i++) {
		m <<= 1;
		if (compare(&a, &b) >= 0) {
			subtract(&a, &b);
			m |= 1;
		}
		if (i <= precision) halve(&b);
	}
	_Bool rest = a.n > 0, half;
	if (m >> precision) { // one bit more than there is room for
		half = m & 1;
		m >>= 1;
		unit++;
	} else {
		shift_left(&a, 1);
		half = compare(&a, &b) >= 0;
		if (half) subtract(&a, &b);
		rest = rest && a.n > 0;
		if (half && a.n == 0) rest = 0;
	}
	*range = 0;
	_Bool inexact = half || rest;
	if (unit == least && !(m >> (precision - 1)) && inexact) {
		*range = 1;
		// Whether what rounds to the least normal number was too small is for the library to say.
		if (m + 1 == 1ull << (precision - 1) && half) *range = __assay_nondet_bool("strtod");
	}
	if (half && (rest || (m & 1))) m++;
	if (m >> precision) {
		m >>= 1;
		unit++;
	}
	if (unit + precision > most) {
		*range = 1;
		return __builtin_inf();
	}
	if (m == 0) return 0;
	// m * 2^unit: two factors of which each is a normal number.
	int first = unit / 2, second = unit - first;
	return (double)m * double_of((unsigned long long)(first + 1023) << 52) * double_of((unsigned long long)(second + 1023) << 52);
}

#define PRECISION(kind) _Generic((kind)0, float: 24, default: 53)
#define LEAST(kind) _Generic((kind)0, float: -149, default: -1074)
#define MOST(kind) _Generic((kind)0, float: 128, default: 1024)

#define FLOATING(type, name, kind) \
	MODEL type name(const char *restrict s, char **restrict end) { \
		size_t start = 0; \
		while (is_space(s[start])) start++; \
		double value = 0; \
		_Bool exact = 0; \
		size_t used = floating(s + start, &value, &exact); \
		if (end) *end = (char *)s + (used ? start + used : 0); \
		if (used == 0) return 0; \
		if (exact) return (type)value; \
		if (used < MOST_DIGITS && !hexadecimal(s + start) && __assay_exact(#name)) { \
			_Bool range; \
			double d = decimal(s + start, PRECISION(type), LEAST(type), MOST(type), &range); \
			if (range) __assay_errno = ERROR_RANGE; \
			return (type)(s[start] == '-' ? -d : d); \
		} \
		if (__assay_approximate_bool(#name)) __assay_errno = ERROR_RANGE; \
		type magnitude = __assay_approximate_##kind(#name); \
		if (!(magnitude >= 0)) magnitude = 0; \
		return s[start] == '-' ? -magnitude : magnitude; \
	}

FLOATING(double, strtod, double)
FLOATING(float, strtof, float)

// A long double that is no integer below 2^53: nothing is known of it but its sign.
long double __assay_any_extended(const char *name);
MODEL long double strtold(const char *restrict s, char **restrict end) {
	size_t start = 0;
	while (is_space(s[start])) start++;
	double value = 0;
	_Bool exact = 0;
	size_t used = floating(s + start, &value, &exact);
	if (end) *end = (char *)s + (used ? start + used : 0);
	if (used == 0) return 0;
	if (exact) return value;
	if (__assay_approximate_bool("strtold")) __assay_errno = ERROR_RANGE;
	long double magnitude = __assay_any_extended("strtold");
	if (!(magnitude >= 0)) magnitude = 0;
	return s[start] == '-' ? -magnitude : magnitude;
}

MODEL double atof(const char *s) { return strtod(s, 0); }
