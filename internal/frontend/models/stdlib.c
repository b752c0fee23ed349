// Models of the rest of stdlib.h, and of assert as a function.
//
// Arithmetic that overflows is checked here like in the program.
#include "library.h"

MODEL int abs(int n) { return n < 0 ? -n : n; }
MODEL long labs(long n) { return n < 0 ? -n : n; }
MODEL long long llabs(long long n) { return n < 0 ? -n : n; }

struct quotient { int quot, rem; };
struct long_quotient { long quot, rem; };
struct long_long_quotient { long long quot, rem; };

MODEL struct quotient div(int a, int b) { return (struct quotient){a / b, a % b}; }
MODEL struct long_quotient ldiv(long a, long b) { return (struct long_quotient){a / b, a % b}; }
MODEL struct long_long_quotient lldiv(long long a, long long b) { return (struct long_long_quotient){a / b, a % b}; }
MODEL long long imaxabs(long long n) { return n < 0 ? -n : n; }
MODEL struct long_long_quotient imaxdiv(long long a, long long b) { return lldiv(a, b); }

// Any sequence of numbers: no seed is known to give one.
MODEL int rand(void) { return __assay_nondet_int("rand") & 0x7fffffff; }
MODEL long random(void) { return __assay_nondet_int("random") & 0x7fffffff; }

MODEL int rand_r(unsigned *seed) {
	__assay_havoc(seed, sizeof *seed);
	return __assay_nondet_int("rand_r") & 0x7fffffff;
}
MODEL long lrand48(void) { return __assay_nondet_int("lrand48") & 0x7fffffff; }
MODEL long mrand48(void) { return __assay_nondet_int("mrand48"); }
MODEL unsigned arc4random(void) { return (unsigned)__assay_nondet_int("arc4random"); }
MODEL unsigned arc4random_uniform(unsigned bound) {
	unsigned n = (unsigned)__assay_nondet_int("arc4random_uniform");
	__assay_assume(n < bound || (bound == 0 && n == 0));
	return n;
}
// Multiples of 2^-48 below 1.
MODEL double drand48(void) {
	uint64_t n = __assay_nondet_size("drand48");
	if (sizeof(size_t) == 4) n = n << 32 | __assay_nondet_size("drand48");
	return (double)(int64_t)(n >> 16) * 0x1p-48;
}

MODEL void srand(unsigned seed) {}
MODEL void srand48(long seed) {}
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

// The environment: strings in one block of arbitrary content. Linux limits a
// string of the environment to 128 KiB. Asked again, perhaps for the same name,
// the answer is too free.
enum { ENVIRONMENT = 131072 };
static char environment[ENVIRONMENT];
static _Bool environment_known;

MODEL char *getenv(const char *name) {
	while (*name) name++;
	size_t at;
	if (environment_known) {
		at = __assay_approximate_size("getenv");
	} else {
		environment_known = 1;
		__assay_havoc(environment, ENVIRONMENT);
		environment[ENVIRONMENT - 1] = 0;
		at = __assay_nondet_size("getenv");
	}
	return at < ENVIRONMENT ? environment + at : 0;
}

MODEL char *secure_getenv(const char *name) { return getenv(name); }

static int changed(const char *function) {
	if (!__assay_nondet_bool(function)) return 0;
	__assay_fail(function);
	return -1;
}

MODEL int setenv(const char *name, const char *value, int replace) {
	while (*name) name++;
	while (*value) value++;
	return changed("setenv");
}

MODEL int unsetenv(const char *name) {
	while (*name) name++;
	return changed("unsetenv");
}

MODEL int system(const char *command) {
	if (command)
		while (*command) command++;
	return __assay_nondet_int("system");
}
