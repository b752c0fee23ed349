// main's arguments.
#include <assert.h>
int main(int argc, char **argv) {
	assert(argc >= 0);
	assert(argv[argc] == 0);
	if (argc > 0) { char *p = argv[argc - 1]; assert(p); } // @assertion p
	assert(argc < 5); // @assertion argc < 5
	return 0;
}
