// main's arguments.
#include <assert.h>
int main(int argc, char **argv) {
	assert(argc >= 0);
	assert(argv[argc] == 0);
	if (argc > 0) { char *p = argv[argc - 1]; assert(p); } // @assertion p
	assert(argc < 1000); // @assertion argc < 1000
	return 0;
}
