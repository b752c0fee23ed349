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

// assert without its header.
MODEL void assert(int condition) {
	__assay_check(condition != 0, ASSERTION, "assertion failed");
	if (!condition) __assay_abort();
}

// Exit handlers run in reverse order. C guarantees that there is room for 32;
// beyond that registration fails where allocations may fail.
enum { GUARANTEED = 32, HANDLERS = 64 };
static void (*handlers[HANDLERS])(void);
static unsigned handler_count;

MODEL int atexit(void (*handler)(void)) {
	if (handler_count >= GUARANTEED) {
		if (__assay_malloc_fails(1)) {
			int n = __assay_nondet_int("atexit");
			return n ? n : 1;
		}
		if (handler_count == HANDLERS) __assay_unsupported("more than 64 exit handlers");
	}
	handlers[handler_count++] = handler;
	return 0;
}

void __assay_exit_handlers(void) {
	while (handler_count > 0) handlers[--handler_count]();
}

MODEL int system(const char *command) {
	if (command)
		while (*command) command++;
	int n = __assay_nondet_int("system"); // the status of a process, or -1
	return n == -1 ? n : n & 0xffff;
}
