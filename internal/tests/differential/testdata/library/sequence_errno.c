// Sequences of conversions that share errno, and leave it alone where they succeed.
#include "library.h"
#include <inttypes.h>

int main(void) {
	char s[32], *end;
	for (int i = 0; i < 10; i++) {
		text(s, 24, below(2) ? "0123456789" : "09xX-+ afz");
		switch (below(7)) {
		case 0: OBSERVE(strtol(s, &end, (int)below(37))); where(end, s, "end"); break;
		case 1: OBSERVE(strtoul(s, &end, 0)); where(end, s, "end"); break;
		case 2: OBSERVE(strtoll(s, &end, 16)); where(end, s, "end"); break;
		case 3: OBSERVE(strtoull(s, &end, 10)); where(end, s, "end"); break;
		case 4: OBSERVE(strtoimax(s, &end, 8)); where(end, s, "end"); break;
		case 5: errno = 0; break;
		case 6: free(calloc((size_t)-1, 2)); break;
		}
		OBSERVE(errno);
	}
	return 0;
}
