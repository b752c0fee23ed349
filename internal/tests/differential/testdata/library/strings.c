#define _GNU_SOURCE
#include "library.h"
#include <strings.h>
#include <unistd.h>

static int sign(int n) { return n < 0 ? -1 : n > 0; }

size_t strlcpy(char *, const char *, size_t);
size_t strlcat(char *, const char *, size_t);
#ifdef NATIVE // glibc 2.36 has none; these are the definitions of OpenBSD's manual
size_t strlcpy(char *to, const char *from, size_t size) {
	size_t n = strlen(from);
	if (size > 0) {
		size_t m = n < size ? n : size - 1;
		memcpy(to, from, m);
		to[m] = 0;
	}
	return n;
}
size_t strlcat(char *to, const char *from, size_t size) {
	size_t n = strnlen(to, size);
	return n == size ? n + strlen(from) : n + strlcpy(to + n, from, size - n);
}
#endif

int main(void) {
	char a[16], b[16], c[40] = "", d[40] = "";
	const char *alphabet = below(2) ? "ab" : "abAB ,.\xe9";
	text(a, 8, alphabet);
	text(b, 4, alphabet);
	int ch = alphabet[below(strlen(alphabet) + 1)];
	unsigned n = below(10);
	OBSERVE(strlen(a));
	OBSERVE(strnlen(a, n));
	OBSERVE(sign(strcmp(a, b)));
	OBSERVE(sign(strncmp(a, b, n)));
	OBSERVE(sign(strcasecmp(a, b)));
	OBSERVE(sign(strncasecmp(a, b, n)));
	OBSERVE(sign(memcmp(a, b, 4)));
	OBSERVE(strcoll(a, b) < 0);
	where(strchr(a, ch), a, "strchr");
	where(strchrnul(a, ch), a, "strchrnul");
	where(strrchr(a, ch), a, "strrchr");
	where(index(a, ch), a, "index");
	where(rindex(a, ch), a, "rindex");
	where(memchr(a, ch, 9), a, "memchr");
	where(memrchr(a, ch, 9), a, "memrchr");
	where(rawmemchr(a, 0), a, "rawmemchr");
	where(strstr(a, b), a, "strstr");
	where(strcasestr(a, b), a, "strcasestr");
	where(memmem(a, strlen(a), b, strlen(b)), a, "memmem");
	where(strpbrk(a, b), a, "strpbrk");
	OBSERVE(strspn(a, b));
	OBSERVE(strcspn(a, b));
	where(strcpy(c, a), c, "strcpy");
	bytes(c, sizeof c, "strcpy");
	where(stpcpy(c, b), c, "stpcpy");
	bytes(c, sizeof c, "stpcpy");
	strncpy(c, a, n);
	bytes(c, sizeof c, "strncpy");
	where(stpncpy(d, b, n), d, "stpncpy");
	bytes(d, sizeof d, "stpncpy");
	strcpy(c, a);
	strcat(c, b);
	strncat(c, a, n);
	bytes(c, sizeof c, "strcat");
	OBSERVE(strlcpy(d, a, n));
	OBSERVE(strlcat(d, b, n + 2));
	bytes(d, sizeof d, "strlcat");
	where(memccpy(d, a, ch, 8), d, "memccpy");
	where(mempcpy(d, b, n % 5), d, "mempcpy");
	bcopy(d, d + 1, 6);
	swab(a, d + 10, 6);
	bytes(d, sizeof d, "swab");
	OBSERVE(strxfrm(c, a, n));
	char *copy = strdup(a), *part = strndup(a, n);
	OBSERVE(strcmp(copy, a));
	OBSERVE(strlen(part));
	free(copy);
	free(part);
	strcpy(c, a);
	char *rest;
	int k = 0;
	for (char *t = strtok_r(c, b, &rest); t && k < 9; t = strtok_r(0, b, &rest), k++) where(t, c, "strtok_r");
	bytes(c, 12, "strtok_r");
	strcpy(c, a);
	for (char *t = strtok(c, ", "); t; t = strtok(0, ", ")) where(t, c, "strtok");
	strcpy(c, a);
	rest = c;
	for (char *t = strsep(&rest, b); t; t = strsep(&rest, b)) where(t, c, "strsep");
	bytes(c, 12, "strsep");
	OBSERVE(ffs((int)below(100)));
	OBSERVE(ffsll((long long)below(100) << 20));
	return 0;
}
