#include "library.h"
#include <inttypes.h>

int main(void) {
	char s[40];
	switch (below(4)) {
	case 0: text(s, 5, "0x19aAzZ+- "); break;
	case 1: text(s, 24, "0123456789"); break;
	case 2:
		strcpy(s, below(2) ? " -" : "+");
		text(s + strlen(s), 21, "0123456789");
		break;
	default:
		strcpy(s, below(2) ? "-0x" : "0x");
		text(s + strlen(s), 18, "0123456789abcdefF");
	}
	static const int bases[] = {0, 8, 10, 16, 36, 2, 1, 37};
	int base = bases[below(8)];
	char *end = s;
#define TRY(f) \
	errno = 0; \
	observe((unsigned long long)f(s, &end, base), #f); \
	if (base != 1 && base != 37) where(end, s, #f); \
	OBSERVE(errno);
	TRY(strtol)
	TRY(strtoul)
	TRY(strtoll)
	TRY(strtoull)
	TRY(strtoimax)
	TRY(strtoumax)
	OBSERVE(atoi(s));
	OBSERVE(atol(s));
	OBSERVE(atoll(s));
	// Of floating-point numbers, integers and the end.
	double x = strtod(s, &end);
	where(end, s, "strtod");
	if (end - s < 15) OBSERVE((long long)x);
	text(s, 9, "0123.eE+-pxinfa");
	strtod(s, &end);
	where(end, s, "strtod");
	strtof(s, &end);
	where(end, s, "strtof");
	div_t q = div((int)below(1000) - 500, (int)below(7) + 1);
	OBSERVE(q.quot * 1000 + q.rem);
	ldiv_t l = ldiv((long)below(1000) - 500, -3);
	OBSERVE(l.quot * 1000 + l.rem);
	lldiv_t m = lldiv((long long)below(1000) - 500, 7);
	OBSERVE(m.quot * 1000 + m.rem);
	return 0;
}
