// Sequences of calls on shared strings: what strtok and its kin keep from call to
// call, and what others change under them.
#define _GNU_SOURCE
#include "library.h"
#include <strings.h>

int main(void) {
	char a[24], b[24], *rest = a, *next = b;
	text(a, 10, "ab ,");
	text(b, 10, "ab ,");
	strtok(a, ",");
	strtok_r(b, " ", &next);
	for (int i = 0; i < 12; i++) {
		unsigned n = below(8);
		switch (below(12)) {
		case 0: where(strtok(below(3) ? 0 : a, below(2) ? "," : " ,"), a, "strtok"); break;
		case 1: where(strtok_r(below(3) ? 0 : b, below(2) ? "," : " ,", &next), b, "strtok_r"); break;
		case 2: where(strsep(&rest, below(2) ? "," : " "), a, "strsep"); break;
		case 3: if (!rest) rest = a; break;
		case 4: memmove(a + n, a + below(8), below(8)); a[23] = 0; break;
		case 5: memset(b + n, "ab ,"[below(4)], below(4)); break;
		case 6: strncpy(a, b, n); a[23] = 0; break;
		case 7: where(stpncpy(b, a, n), b, "stpncpy"); b[23] = 0; break;
		case 8: if (strlen(a) + n < 24) strncat(a, b, n); break;
		case 9: OBSERVE(strcasecmp(a, b) > 0); break;
		case 10: where(strpbrk(a, b), a, "strpbrk"); break;
		case 11: where(memccpy(a, b, ' ', n), a, "memccpy"); a[23] = 0; break;
		}
	}
	a[23] = b[23] = 0;
	bytes(a, strlen(a), "a");
	bytes(b, strlen(b), "b");
	return 0;
}
