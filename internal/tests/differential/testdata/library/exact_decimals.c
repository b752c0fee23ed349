// Decimal numbers as floating point, rounded as the library rounds them.
#include "library.h"
#include <math.h>

static void number(char *s) {
	char *p = s;
	if (below(4) == 0) *p++ = "+-"[below(2)];
	switch (below(6)) {
	case 0: text(p, 40, "0123456789"); break;
	case 1: text(p, 20, "00000001"); break;
	case 2: { // near a half of two neighbours
		unsigned long long m = 1ull << 53 | (__VERIFIER_nondet_ulonglong() & 0xfffffffffffffull);
		sprintf(p, "%llu", m | below(4));
		break;
	}
	case 3: strcpy(p, below(2) ? "2225073858507201" : "4940656458412465"); break; // near the least numbers
	case 4: strcpy(p, below(2) ? "17976931348623158" : "1701411834604692"); break;
	default: text(p, 9, "123456789");
	}
	p += strlen(p);
	if (below(2)) {
		*p++ = '.';
		text(p, 30, "0123456789");
		p += strlen(p);
	}
	switch (below(4)) {
	case 0: break;
	case 1: sprintf(p, "e%d", (int)below(700) - 350); break;
	case 2: sprintf(p, "E%d", (int)below(90) - 45 - (int)below(2) * 290); break;
	default: sprintf(p, "e-3%d", 5 + (int)below(40)); break;
	}
}

int main(void) {
	char s[200], *end;
	number(s);
	errno = 0;
	double d = strtod(s, &end);
	bytes(&d, sizeof d, "strtod");
	where(end, s, "strtod");
	OBSERVE(errno);
	errno = 0;
	float f = strtof(s, &end);
	bytes(&f, sizeof f, "strtof");
	OBSERVE(errno);
	d = atof(s);
	bytes(&d, sizeof d, "atof");
	return 0;
}
