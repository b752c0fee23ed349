// Sequences of calls with descriptors, and of questions whose answers stay.
#define _GNU_SOURCE
#include "../library/library.h"
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

int main(void) {
	int d[4] = {-1, -1, -1, -1}, ends[2];
	char c;
	clock_t last = 0;
	for (int i = 0; i < 12; i++) {
		unsigned k = below(4);
		switch (below(13)) {
		case 0: case 1: OBSERVE(d[k] = open(below(4) ? "/dev/null" : "/nowhere/at/all", O_RDONLY)); break;
		case 2: OBSERVE(close(d[k])); break;
		case 3: OBSERVE(read(d[k], &c, 1)); break;
		case 4: OBSERVE(d[k] = dup(d[below(4)])); break;
		case 5:
			if (OBSERVE(pipe(ends)) == 0) {
				observe(ends[0], "end");
				observe(ends[1], "end");
			}
			break;
		case 6: OBSERVE(lseek(d[k], (long)below(9) - 1, SEEK_SET)); break;
		case 7: if (d[k] >= 0) OBSERVE(dup2(d[k], 20 + (int)below(2))); break;
		case 8: OBSERVE(getpid() == getpid()); break;
		case 9: OBSERVE(getuid() == getuid()); break;
		case 10: OBSERVE(sysconf(_SC_PAGESIZE)); break;
		case 11: OBSERVE(isatty(d[k])); break;
		case 12: OBSERVE(clock() >= last); last = clock(); break;
		}
	}
	return 0;
}
