#define _GNU_SOURCE
#include "library.h"

static void print(const char *format, unsigned long long x) {
	char s[80];
	memset(s, '#', sizeof s);
	int n;
	if (strstr(format, "ll") || strchr(format, 'j')) n = snprintf(s, sizeof s, format, x);
	else n = snprintf(s, sizeof s, format, (unsigned)x);
	OBSERVE(n);
	bytes(s, n < 70 ? n + 2 : 72, format);
	if (n < 60) {
		memset(s, '#', sizeof s);
		if (strstr(format, "ll") || strchr(format, 'j')) n = sprintf(s, format, x);
		else n = sprintf(s, format, (unsigned)x);
		OBSERVE(n);
		bytes(s, n + 2, format);
	}
}

int main(void) {
	static const char flags[] = "-+ #0", kinds[] = "dduuxXoic%";
	char format[40], s[40], t[20];
	for (int round = 0; round < 4; round++) {
		char *f = format;
		*f++ = '<';
		*f++ = '%';
		for (unsigned n = below(3); n > 0; n--) *f++ = flags[below(5)];
		if (below(2)) *f++ = '1' + (char)below(9);
		if (below(8) == 0) *f++ = '1';
		if (below(2)) {
			*f++ = '.';
			if (below(4)) *f++ = '0' + (char)below(10);
		}
		char kind = kinds[below(10)];
		if (kind != 'c' && kind != '%') {
			switch (below(5)) {
			case 0: *f++ = 'h';
			case 1: *f++ = 'h'; break;
			case 2: *f++ = 'l'; *f++ = 'l'; break;
			case 3: *f++ = 'j'; break;
			}
		}
		*f++ = kind;
		if (kind == '%') strcpy(f = format, "100%%%d");
		else strcpy(f, ">");
		unsigned long long x = __VERIFIER_nondet_ulonglong() >> below(64);
		if (below(8) == 0) x = 0;
		if (below(2)) x = -x;
		if (kind == 'c') x = 'A' + x % 26;
		print(format, x);
	}
	text(t, 6, "abc ");
	static const char *texts[] = {"%s|", "%5s|", "%-5s|", "%.3s|", "%5.2s|", "%-4.0s|", "%.s|"};
	OBSERVE(snprintf(s, sizeof s, texts[below(7)], t));
	bytes(s, strlen(s), "%s");
	int count = 0;
	OBSERVE(snprintf(s, below(12), "%*d %n%.*s", (int)below(9) - 4, (int)below(1000), &count, (int)below(5) - 1, t));
	OBSERVE(count);
	OBSERVE(snprintf(0, 0, "%d%s", 12, t));
	char *made;
	OBSERVE(asprintf(&made, "%x-%s", below(1000), t));
	bytes(made, strlen(made) + 1, "asprintf");
	free(made);
	return 0;
}
