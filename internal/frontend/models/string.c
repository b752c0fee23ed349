// Models of the functions of string.h that work on strings. They read and
// write byte by byte, so that each access is guarded where it happens.
#include "assay_model.h"

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
	return (unsigned char)*a - (unsigned char)*b;
}

MODEL int strncmp(const char *a, const char *b, size_t limit) {
	for (; limit > 0; limit--, a++, b++) {
		if (*a != *b) return (unsigned char)*a - (unsigned char)*b;
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
	return lower(*a) - lower(*b);
}

MODEL int strncasecmp(const char *a, const char *b, size_t limit) {
	for (; limit > 0; limit--, a++, b++) {
		if (lower(*a) != lower(*b)) return lower(*a) - lower(*b);
		if (!*a) break;
	}
	return 0;
}

MODEL char *strcpy(char *restrict to, const char *restrict from) {
	char *p = to;
	while ((*p++ = *from++))
		;
	return to;
}

MODEL char *stpcpy(char *restrict to, const char *restrict from) {
	while ((*to = *from)) to++, from++;
	return to;
}

MODEL char *strncpy(char *restrict to, const char *restrict from, size_t size) {
	size_t i = 0;
	for (; i < size && from[i]; i++) to[i] = from[i];
	for (; i < size; i++) to[i] = 0;
	return to;
}

MODEL char *strcat(char *restrict to, const char *restrict from) {
	char *p = to;
	while (*p) p++;
	while ((*p++ = *from++))
		;
	return to;
}

MODEL char *strncat(char *restrict to, const char *restrict from, size_t limit) {
	char *p = to;
	while (*p) p++;
	while (limit-- > 0 && *from) *p++ = *from++;
	*p = 0;
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
