// getopt and getopt_long: all orders of options and other arguments.
#define _GNU_SOURCE
#include "library.h"
#include <getopt.h>

int main(void) {
	while (unsetenv("POSIXLY_CORRECT") != 0) ; // no memory
	static char *const words[] = {"-a", "-b", "-bx", "-ab", "-c", "-cy", "--", "-", "file", "-z", "--long", "--lo", "--value", "--value=3", "--val=", "--flag", "--other", "-a-", "--long=1"};
	static char store[6][12];
	char *arguments[8] = {"program"};
	int n = (int)below(6), set = 0;
	for (int i = 0; i < n; i++) {
		strcpy(store[i], words[below(sizeof words / sizeof *words)]);
		arguments[i + 1] = store[i];
	}
	const struct option options[] = {{"long", 0, 0, 'l'}, {"value", 1, 0, 'v'}, {"flag", 2, &set, 7}, {"version", 0, 0, 'V'}, {0, 0, 0, 0}};
	const char *letters = ((const char *[]){"ab:c::", "+ab:c::", "-ab:c::", ":ab:c::", "+:ab:"})[below(5)];
	_Bool with = below(2);
	opterr = 0;
	int c, index = -1;
	for (int i = 0; i < 12; i++) {
		c = with ? getopt_long(n + 1, arguments, letters, options, &index) : getopt(n + 1, arguments, letters);
		OBSERVE(c);
		OBSERVE(optind);
		if (c == '?' || c == ':') OBSERVE(optopt);
		if (optarg) OBSERVE(strlen(optarg) * 256 + (unsigned char)optarg[0]);
		OBSERVE(set + 100 * index);
		if (c == -1) break;
	}
	for (int i = 1; i <= n; i++) OBSERVE(arguments[i] - store[0]);
	return 0;
}
