// main's arguments.
// runs: 300
#include <assert.h>
int main(int argc, char **argv) {
	assert(argc >= 0);
	assert(argv[argc] == 0);
	if (argc > 0 && argc < 5) {
		char *p = argv[argc - 1];
		assert(p);
		char c = *p; (void)c;
		assert(argc > 3); // @assertion argc > 3
	}
	return 0;
}
