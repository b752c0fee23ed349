// Sequences of questions about variables, and of changes of them.
#define _GNU_SOURCE
#include "../library/library.h"

static const char *const names[] = {"HOME", "ASSAY_ONE", "ASSAY_TWO", "ASSAY_THREE", "", "A=B"};
static char texts[][24] = {"ASSAY_ONE=text", "ASSAY_TWO=", "ASSAY_TWO=other"};

int main(void) {
	for (int i = 0; i < 12; i++) {
		const char *name = names[below(6)], *value;
		switch (below(8)) {
		case 0: case 1: case 2:
			value = getenv(name);
			if (observe(value != 0, "getenv")) bytes(value, strlen(value) + 1, "value");
			break;
		case 3: case 4: OBSERVE(setenv(name, below(2) ? "one" : "", (int)below(2))); break;
		case 5: OBSERVE(unsetenv(name)); break;
		case 6: OBSERVE(putenv(texts[below(3)])); break;
		case 7: if (below(4) == 0) OBSERVE(clearenv()); break;
		}
	}
	return 0;
}
