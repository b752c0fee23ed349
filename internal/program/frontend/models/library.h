// What the models share among themselves.
#ifndef LIBRARY_H
#define LIBRARY_H

#include "assay_model.h"

// errno. It is 0 at the start, and library functions leave it alone unless
// they fail, or do input or output.
extern int __assay_errno;
enum { ERROR_NOMEM = 12, ERROR_INVAL = 22, ERROR_RANGE = 34 };

// __assay_fail sets errno to any error.
void __assay_fail(const char *name);

// MATH_ERROR is what a function of math.h does whose arguments or result are such: as glibc, or, as C has
// it for libraries whose math_errhandling does not say MATH_ERRNO, nothing.
enum { ERROR_DOM = 33 };
#define MATH_ERROR(condition, error, name) \
	if (__assay_uses("__errno_location") && (condition) && __assay_nondet_bool(name)) __assay_errno = error

// Whether [to, to+size) and [from, from+size) share a byte.
static inline _Bool overlap(const void *to, const void *from, size_t size) {
	if (!__assay_same_object(to, from)) return 0;
	size_t a = __assay_offset(to), b = __assay_offset(from);
	return a < b ? b - a < size : a - b < size;
}

// What the run does from here on is freer than the library: proofs hold for
// more runs than there are, and violations do not count.
#define OVER_APPROXIMATED(name) __assay_assume(__assay_approximate_bool(name))

// What the library may also do, as far as we know. That it does not is what some library does.
#define PERHAPS(name) (!__assay_exact(name) && __assay_approximate_bool(name))

#define REQUIRE(condition, text) __assay_check(condition, PRECONDITION, text)

// The result of a comparison. C promises its sign only: libraries give the
// difference, and compilers that fold the call -1 or 1.
static inline int ordered(int difference, const char *name) {
	if (difference == 0 || !__assay_nondet_bool(name)) return difference;
	return difference < 0 ? -1 : 1;
}

static inline _Bool is_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }

// The number that a character stands for in base 36, or 36.
static inline unsigned digit_value(int c) {
	if (c >= '0' && c <= '9') return (unsigned)c - '0';
	if (c >= 'a' && c <= 'z') return (unsigned)c - 'a' + 10;
	if (c >= 'A' && c <= 'Z') return (unsigned)c - 'A' + 10;
	return 36;
}

// __assay_integer reads an integer like strtol with at most limit characters;
// *used is how many it took, 0 if there is none.
struct integer {
	unsigned long long magnitude;
	_Bool negative, overflow;
};
struct integer __assay_integer(const char *s, size_t limit, int base, size_t *used);

// __assay_print interprets a printf format. It writes below size, counts what
// it would write, and does not write the NUL. A size of PRINT_UNBOUNDED is no limit.
#define PRINT_UNBOUNDED ((size_t)-1)
size_t __assay_print(char *s, size_t size, const char *format, va_list arguments);

// __assay_scan interprets a scanf format on a text, or, if text is null, on the
// input of a stream (null is one of which nothing is known).
struct stream;
int __assay_scan(const char *text, struct stream *file, const char *format, va_list arguments);

#endif
