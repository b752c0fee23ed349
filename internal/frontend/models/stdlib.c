// Models of the rest of stdlib.h, and of assert as a function.
#include "assay_model.h"

MODEL int abs(int n) { return n < 0 ? -n : n; }
MODEL long labs(long n) { return n < 0 ? -n : n; }
MODEL long long llabs(long long n) { return n < 0 ? -n : n; }

MODEL int rand(void) { return __assay_nondet_int("rand") & 0x7fffffff; }
MODEL long random(void) { return __assay_nondet_int("random") & 0x7fffffff; }

MODEL void srand(unsigned seed) {}
MODEL void srandom(unsigned seed) {}

// assert without its header.
MODEL void assert(int condition) {
	__assay_check(condition != 0, ASSERTION, "assertion failed");
	if (!condition) __assay_abort();
}

// Exit handlers run in reverse order. The limit is the one that C guarantees;
// beyond it registration fails, as it may.
enum { HANDLERS = 32 };
static void (*handlers[HANDLERS])(void);
static unsigned handler_count;

MODEL int atexit(void (*handler)(void)) {
	if (handler_count == HANDLERS) return -1;
	handlers[handler_count++] = handler;
	return 0;
}

void __assay_exit_handlers(void) {
	while (handler_count > 0) handlers[--handler_count]();
}

// Numbers in text: any result is possible, errors included.
MODEL int atoi(const char *s) { return __assay_nondet_int("atoi") + 0 * *s; }
MODEL long atol(const char *s) { return (long)__assay_nondet_size("atol") + 0 * *s; }

// The number in front of a text: any, and it ends anywhere in the text.
static void number_end(const char *s, char **end) {
	if (!end) return;
	size_t n = __assay_nondet_size("strtol"), length = 0;
	while (s[length]) length++;
	__assay_assume(n <= length);
	*end = (char *)s + n;
}

#define NUMBER(type, name) \
	MODEL type name(const char *restrict s, char **restrict end, int base) { \
		number_end(s, end); \
		type n; \
		__assay_havoc(&n, sizeof n); \
		return n; \
	}

NUMBER(long, strtol)
NUMBER(unsigned long, strtoul)
NUMBER(long long, strtoll)
NUMBER(unsigned long long, strtoull)
NUMBER(long, __isoc23_strtol)
NUMBER(unsigned long, __isoc23_strtoul)
NUMBER(long long, __isoc23_strtoll)
NUMBER(unsigned long long, __isoc23_strtoull)

MODEL double strtod(const char *restrict s, char **restrict end) {
	number_end(s, end);
	return __assay_nondet_double("strtod");
}

MODEL double atof(const char *s) { return *s ? __assay_nondet_double("atof") : 0; }

MODEL long long atoll(const char *s) { return strtoll(s, 0, 10); }

// Exact, but not fast: insertion sort, by exchanges of neighbours.
MODEL void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
	char *p = base;
	for (size_t i = 1; i < count; i++)
		for (size_t j = i; j > 0 && compare(p + (j - 1) * size, p + j * size) > 0; j--)
			for (size_t k = 0; k < size; k++) {
				char c = p[(j - 1) * size + k];
				p[(j - 1) * size + k] = p[j * size + k];
				p[j * size + k] = c;
			}
}

MODEL void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
	const char *p = base;
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(key, p + middle * size);
		if (order == 0) return (void *)(p + middle * size);
		if (order < 0) high = middle;
		else low = middle + 1;
	}
	return 0;
}

// Any function may have set errno to anything since it was last looked at.
static int error_number;

MODEL int *__errno_location(void) {
	__assay_havoc(&error_number, sizeof error_number);
	return &error_number;
}
