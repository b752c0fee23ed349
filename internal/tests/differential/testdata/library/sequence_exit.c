// Sequences of exit handlers, some of which register others, and numbers with a
// seed, which POSIX defines.
#define _DEFAULT_SOURCE
#include "library.h"

static void one(void) { observe(1, "one"); }
static void two(void) {
	observe(2, "two");
	atexit(one);
}
static void three(void) {
	observe(3, "three");
	atexit(two);
}

int main(void) {
	srand48((long)__VERIFIER_nondet_uint());
	for (int i = 0; i < 10; i++) {
		switch (below(7)) {
		case 0: OBSERVE(atexit(one)); break;
		case 1: OBSERVE(atexit(two)); break;
		case 2: OBSERVE(atexit(three)); break;
		case 3: OBSERVE(lrand48()); break;
		case 4: OBSERVE(mrand48()); break;
		case 5: OBSERVE(drand48() * 0x1p48); break;
		case 6: srand48((long)below(3)); break;
		}
	}
	if (below(2)) exit(0);
	return 0;
}
