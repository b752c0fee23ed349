// Models of the functions of string.h that work on strings. They read and
// write byte by byte, so that each access is guarded where it happens.
#include "library.h"

void *malloc(size_t size);

MODEL size_t strlen(const char *s) {
	size_t n = 0;
	while (s[n]) n++;
	return n;
}

MODEL size_t strnlen(const char *s, size_t limit) {
	size_t n = 0;
	while (n < limit && s[n]) n++;
	return n;
}

MODEL int strcmp(const char *a, const char *b) {
	while (*a && *a == *b) a++, b++;
	return ordered((unsigned char)*a - (unsigned char)*b, "strcmp");
}

MODEL int strncmp(const char *a, const char *b, size_t limit) {
	for (; limit > 0; limit--, a++, b++) {
		if (*a != *b) return ordered((unsigned char)*a - (unsigned char)*b, "strncmp");
		if (!*a) break;
	}
	return 0;
}

MODEL int strcoll(const char *a, const char *b) { return strcmp(a, b); }

static int lower(char c) {
	unsigned char u = (unsigned char)c;
	return u >= 'A' && u <= 'Z' ? u + 32 : u;
}

MODEL int strcasecmp(const char *a, const char *b) {
	while (*a && lower(*a) == lower(*b)) a++, b++;
	return ordered(lower(*a) - lower(*b), "strcasecmp");
}

MODEL int strncasecmp(const char *a, const char *b, size_t limit) {
	for (; limit > 0; limit--, a++, b++) {
		if (lower(*a) != lower(*b)) return ordered(lower(*a) - lower(*b), "strncasecmp");
		if (!*a) break;
	}
	return 0;
}

MODEL char *strcpy(char *restrict to, const char *restrict from) {
	size_t n = 0;
	while ((to[n] = from[n])) n++;
	REQUIRE(!overlap(to, from, n + 1), "strcpy with overlapping ranges");
	return to;
}

MODEL char *stpcpy(char *restrict to, const char *restrict from) {
	size_t n = 0;
	while ((to[n] = from[n])) n++;
	REQUIRE(!overlap(to, from, n + 1), "stpcpy with overlapping ranges");
	return to + n;
}

MODEL char *strncpy(char *restrict to, const char *restrict from, size_t size) {
	size_t i = 0;
	for (; i < size && from[i]; i++) to[i] = from[i];
	REQUIRE(!overlap(to, from, i), "strncpy with overlapping ranges");
	for (; i < size; i++) to[i] = 0;
	return to;
}

MODEL char *stpncpy(char *restrict to, const char *restrict from, size_t size) {
	size_t i = 0;
	for (; i < size && from[i]; i++) to[i] = from[i];
	REQUIRE(!overlap(to, from, i), "stpncpy with overlapping ranges");
	for (size_t k = i; k < size; k++) to[k] = 0;
	return to + i;
}

// The BSD functions: always a NUL, and the length of what was wanted.
MODEL size_t strlcpy(char *restrict to, const char *restrict from, size_t size) {
	size_t n = 0;
	for (; from[n]; n++)
		if (n + 1 < size) to[n] = from[n];
	if (size > 0) to[n < size ? n : size - 1] = 0;
	return n;
}

MODEL size_t strlcat(char *restrict to, const char *restrict from, size_t size) {
	size_t n = 0;
	while (n < size && to[n]) n++;
	if (n == size) return n + strlen(from);
	return n + strlcpy(to + n, from, size - n);
}

MODEL char *strcat(char *restrict to, const char *restrict from) {
	char *end = to;
	while (*end) end++;
	size_t n = 0;
	while ((end[n] = from[n])) n++;
	REQUIRE(!overlap(end, from, n + 1), "strcat with overlapping ranges");
	return to;
}

MODEL char *strncat(char *restrict to, const char *restrict from, size_t limit) {
	char *end = to;
	while (*end) end++;
	size_t n = 0;
	for (; n < limit && from[n]; n++) end[n] = from[n];
	end[n] = 0;
	REQUIRE(!overlap(end, from, n), "strncat with overlapping ranges");
	return to;
}

MODEL char *strchr(const char *s, int c) {
	for (;; s++) {
		if (*s == (char)c) return (char *)s;
		if (!*s) return 0;
	}
}

MODEL char *index(const char *s, int c) { return strchr(s, c); }

MODEL char *strchrnul(const char *s, int c) {
	while (*s && *s != (char)c) s++;
	return (char *)s;
}

MODEL char *strrchr(const char *s, int c) {
	const char *found = 0;
	for (;; s++) {
		if (*s == (char)c) found = s;
		if (!*s) return (char *)found;
	}
}

MODEL char *rindex(const char *s, int c) { return strrchr(s, c); }

MODEL size_t strspn(const char *s, const char *set) {
	size_t n = 0;
	while (s[n] && strchr(set, s[n])) n++;
	return n;
}

MODEL size_t strcspn(const char *s, const char *set) {
	size_t n = 0;
	while (s[n] && !strchr(set, s[n])) n++;
	return n;
}

MODEL char *strpbrk(const char *s, const char *set) {
	s += strcspn(s, set);
	return *s ? (char *)s : 0;
}

MODEL char *strstr(const char *s, const char *part) {
	for (;; s++) {
		size_t i = 0;
		while (part[i] && s[i] == part[i]) i++;
		if (!part[i]) return (char *)s;
		if (!*s) return 0;
	}
}

MODEL char *strcasestr(const char *s, const char *part) {
	for (;; s++) {
		size_t i = 0;
		while (part[i] && lower(s[i]) == lower(part[i])) i++;
		if (!part[i]) return (char *)s;
		if (!*s) return 0;
	}
}

MODEL char *strtok_r(char *restrict s, const char *restrict set, char **restrict rest) {
	if (!s) s = *rest;
	REQUIRE(s != 0, "strtok without a string to go on with");
	s += strspn(s, set);
	if (!*s) {
		*rest = s;
		return 0;
	}
	char *end = s + strcspn(s, set);
	*rest = *end ? end + 1 : end;
	*end = 0;
	return s;
}

static char *token_rest;

MODEL char *strtok(char *restrict s, const char *restrict set) { return strtok_r(s, set, &token_rest); }

MODEL char *strsep(char **restrict rest, const char *restrict set) {
	char *s = *rest;
	if (!s) return 0;
	char *end = s + strcspn(s, set);
	*rest = *end ? end + 1 : 0;
	*end = 0;
	return s;
}

// The "C" locale: strings are their own keys.
MODEL size_t strxfrm(char *restrict to, const char *restrict from, size_t size) {
	size_t n = strlen(from);
	if (n < size) __assay_memcpy(to, from, n + 1);
	else if (size > 0) __assay_memcpy(to, from, size);
	return n;
}

// The message of an error or a signal: any, in one of some objects; those that
// were returned before may be overwritten, or not.
enum { MESSAGES = 3 };
static char messages[2 * MESSAGES][64];

static char *describe(const char *function, char (*all)[64]) {
	size_t length = __assay_approximate_size(function) & 63;
	char *message = all[0];
	for (int i = 1; i < MESSAGES; i++)
		if (__assay_approximate_bool(function)) message = all[i];
	for (size_t i = 0; i < sizeof *all; i++) message[i] = __assay_approximate_char(function);
	message[length] = 0;
	return message;
}

MODEL char *strerror(int error) {
	if (__assay_approximate_bool("strerror")) __assay_errno = ERROR_INVAL;
	return describe("strerror", messages);
}
MODEL char *strsignal(int signal) { return describe("strsignal", messages + MESSAGES); }

MODEL int ffs(int n) { return n ? __builtin_ctz((unsigned)n) + 1 : 0; }
MODEL int ffsl(long n) { return n ? __builtin_ctzl((unsigned long)n) + 1 : 0; }
MODEL int ffsll(long long n) { return n ? __builtin_ctzll((unsigned long long)n) + 1 : 0; }

MODEL char *strdup(const char *s) {
	size_t size = strlen(s) + 1;
	char *p = malloc(size);
	if (p) __assay_memcpy(p, s, size);
	return p;
}

MODEL char *strndup(const char *s, size_t limit) {
	size_t n = strnlen(s, limit);
	char *p = malloc(n + 1);
	if (!p) return 0;
	__assay_memcpy(p, s, n);
	p[n] = 0;
	return p;
}
