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

static struct integer convert(const char *s, char **end, int base) {
	size_t start = 0, used = 0;
	struct integer r = {0, 0, 0};
	if (base < 0 || base == 1 || base > 36) {
		__assay_errno = ERROR_INVAL; // and glibc leaves the end alone
		return r;
	}
	while (is_space(s[start])) start++;
	r = __assay_integer(s + start, (size_t)-1, base, &used);
	if (end) *end = (char *)s + (used ? start + used : 0);
	return r;
}

#define SIGNED(type, name, least, greatest) \
	MODEL type name(const char *restrict s, char **restrict end, int base) { \
		struct integer r = convert(s, end, base); \
		if (r.overflow || r.magnitude > (unsigned long long)greatest + r.negative) { \
			__assay_errno = ERROR_RANGE; \
			return r.negative ? least : greatest; \
		} \
		return (type)(r.negative ? -r.magnitude : r.magnitude); \
	}

#define UNSIGNED(type, name, greatest) \
	MODEL type name(const char *restrict s, char **restrict end, int base) { \
		struct integer r = convert(s, end, base); \
		if (r.overflow || r.magnitude > greatest) { \
			__assay_errno = ERROR_RANGE; \
			return greatest; \
		} \
		return (type)(r.negative ? -r.magnitude : r.magnitude); \
	}

SIGNED(long, strtol, LONG_MIN, LONG_MAX)
SIGNED(long, __isoc23_strtol, LONG_MIN, LONG_MAX)
SIGNED(long long, strtoll, LLONG_MIN, LLONG_MAX)
SIGNED(long long, __isoc23_strtoll, LLONG_MIN, LLONG_MAX)
SIGNED(long long, strtoimax, LLONG_MIN, LLONG_MAX)
UNSIGNED(unsigned long, strtoul, ULONG_MAX)
UNSIGNED(unsigned long, __isoc23_strtoul, ULONG_MAX)
UNSIGNED(unsigned long long, strtoull, ULLONG_MAX)
UNSIGNED(unsigned long long, __isoc23_strtoull, ULLONG_MAX)
UNSIGNED(unsigned long long, strtoumax, ULLONG_MAX)

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
		if (__assay_approximate_bool(#name)) __assay_errno = ERROR_RANGE; \
		type magnitude = __assay_approximate_##kind(#name); \
		if (!(magnitude >= 0)) magnitude = 0; \
		return s[start] == '-' ? -magnitude : magnitude; \
	}

FLOATING(double, strtod, double)
FLOATING(float, strtof, float)

MODEL double atof(const char *s) { return strtod(s, 0); }
