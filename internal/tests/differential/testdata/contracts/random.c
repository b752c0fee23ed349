// Sequences of random numbers and seeds.
#define _DEFAULT_SOURCE
#include "../library/library.h"

int main(void) {
	unsigned s = below(3), saved = s;
	_Bool both = below(2);
	for (int i = 0; i < 14; i++) {
		switch (below(both ? 8 : 5)) {
		case 0: case 1: OBSERVE(rand()); break;
		case 2: srand(1 + below(2)); break;
		case 3: OBSERVE(rand_r(&s)); OBSERVE(s); break;
		case 4: if (below(2)) s = saved; else saved = s; break;
		case 5: case 6: OBSERVE(random()); break;
		case 7: srandom(1 + below(2)); break;
		}
	}
	return 0;
}
