// Linked to programs that run natively: it feeds the inputs listed in the file
// $ASSAY_INPUTS, a name and the bits on each line, and says on standard error
// why a run ended early. Its functions are weak, those of the program win.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

// The program is compiled with -finstrument-functions, so that an error
// function of its own is noticed too. The harness is not instrumented.
#pragma clang attribute push(__attribute__((no_instrument_function)), apply_to = function)

static void stop(const char *why, void *address) {
	fflush(stdout);
	fprintf(stderr, "\nassay: %s %llx\n", why, (unsigned long long)(uintptr_t)address);
	_exit(0);
}

static void assertion(void *site) { stop("assertion", site); }
static void assume(int condition) {
	if (!condition) stop("assume", 0);
}

WEAK void reach_error(void) { assertion(__builtin_return_address(0)); }
WEAK void __VERIFIER_error(void) { assertion(__builtin_return_address(0)); }
WEAK void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
	assertion(__builtin_return_address(0));
}
WEAK void __VERIFIER_assert(int condition) {
	if (!condition) assertion(__builtin_return_address(0));
}
WEAK void __VERIFIER_assume(int condition) { assume(condition); }
WEAK void assume_abort_if_not(int condition) { assume(condition); }

void __cyg_profile_func_enter(void *function, void *site) {
	if (function == (void *)reach_error || function == (void *)__VERIFIER_error) assertion(site);
}
void __cyg_profile_func_exit(void *function, void *site) {}

// Content that nobody wrote is zero, as the interpreter is told.
void *__wrap_malloc(size_t size) { return calloc(1, size); }

static uint64_t next(const char *name) {
	static FILE *file;
	char expected[64];
	unsigned long long bits;
	if (!file) file = fopen(getenv("ASSAY_INPUTS"), "r");
	if (!file || fscanf(file, "%63s %llx", expected, &bits) != 2) stop("inputs-end", 0);
	if (strcmp(expected, name)) stop("inputs-differ", 0);
	return bits;
}

#define INPUT(type, suffix) \
	WEAK type __VERIFIER_nondet_##suffix(void) { \
		uint64_t bits = next("__VERIFIER_nondet_" #suffix); \
		type value; \
		memcpy(&value, &bits, sizeof value); \
		return value; \
	}
INPUT(_Bool, bool)
INPUT(char, char)
INPUT(unsigned char, uchar)
INPUT(short, short)
INPUT(unsigned short, ushort)
INPUT(int, int)
INPUT(unsigned, uint)
INPUT(unsigned, unsigned)
INPUT(long, long)
INPUT(unsigned long, ulong)
INPUT(long long, longlong)
INPUT(unsigned long long, ulonglong)
INPUT(float, float)
INPUT(double, double)
INPUT(void *, pointer)

#pragma clang attribute pop
