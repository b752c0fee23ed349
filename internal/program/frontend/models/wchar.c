// Models of the functions of wchar.h and wctype.h that need no encoding, and of
// the conversions of multibyte characters in the "C" locale, where each byte
// below 128 is a character and no other byte is one.
#include "library.h"

typedef int wide;
typedef unsigned wint;

void *malloc(size_t size);

static wide *copy(wide *to, const wide *from, size_t n) {
	__assay_memcpy(to, from, n * sizeof(wide));
	return to;
}

MODEL size_t wcslen(const wide *s) {
	size_t n = 0;
	while (s[n]) n++;
	return n;
}

MODEL size_t wcsnlen(const wide *s, size_t limit) {
	size_t n = 0;
	while (n < limit && s[n]) n++;
	return n;
}

MODEL wide *wcscpy(wide *restrict to, const wide *restrict from) {
	size_t n = 0;
	while ((to[n] = from[n])) n++;
	REQUIRE(!overlap(to, from, (n + 1) * sizeof(wide)), "wcscpy with overlapping ranges");
	return to;
}

MODEL wide *wcsncpy(wide *restrict to, const wide *restrict from, size_t size) {
	size_t i = 0;
	for (; i < size && from[i]; i++) to[i] = from[i];
	for (; i < size; i++) to[i] = 0;
	return to;
}

MODEL wide *wcscat(wide *restrict to, const wide *restrict from) {
	wcscpy(to + wcslen(to), from);
	return to;
}

MODEL wide *wcsncat(wide *restrict to, const wide *restrict from, size_t limit) {
	wide *end = to + wcslen(to);
	size_t n = 0;
	for (; n < limit && from[n]; n++) end[n] = from[n];
	end[n] = 0;
	return to;
}

static int compare(wide a, wide b) { return a < b ? -1 : a > b; }

MODEL int wcscmp(const wide *a, const wide *b) {
	while (*a && *a == *b) a++, b++;
	return compare(*a, *b);
}

MODEL int wcsncmp(const wide *a, const wide *b, size_t limit) {
	for (; limit > 0; limit--, a++, b++)
		if (*a != *b || !*a) return compare(*a, *b);
	return 0;
}

MODEL wide *wcschr(const wide *s, wide c) {
	for (;; s++) {
		if (*s == c) return (wide *)s;
		if (!*s) return 0;
	}
}

MODEL wide *wcsrchr(const wide *s, wide c) {
	const wide *found = 0;
	for (;; s++) {
		if (*s == c) found = s;
		if (!*s) return (wide *)found;
	}
}

MODEL wide *wcsstr(const wide *s, const wide *part) {
	for (;; s++) {
		size_t i = 0;
		while (part[i] && s[i] == part[i]) i++;
		if (!part[i]) return (wide *)s;
		if (!*s) return 0;
	}
}

MODEL size_t wcsspn(const wide *s, const wide *set) {
	size_t n = 0;
	while (s[n] && wcschr(set, s[n])) n++;
	return n;
}

MODEL size_t wcscspn(const wide *s, const wide *set) {
	size_t n = 0;
	while (s[n] && !wcschr(set, s[n])) n++;
	return n;
}

MODEL wide *wcspbrk(const wide *s, const wide *set) {
	s += wcscspn(s, set);
	return *s ? (wide *)s : 0;
}

MODEL wide *wcsdup(const wide *s) {
	size_t n = wcslen(s) + 1;
	wide *p = malloc(n * sizeof(wide));
	return p ? copy(p, s, n) : 0;
}

MODEL wide *wmemcpy(wide *restrict to, const wide *restrict from, size_t n) {
	REQUIRE(!overlap(to, from, n * sizeof(wide)), "wmemcpy with overlapping ranges");
	return copy(to, from, n);
}

MODEL wide *wmemmove(wide *to, const wide *from, size_t n) { return copy(to, from, n); }

MODEL wide *wmemset(wide *p, wide c, size_t n) {
	for (size_t i = 0; i < n; i++) p[i] = c;
	return p;
}

MODEL int wmemcmp(const wide *a, const wide *b, size_t n) {
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i]) return compare(a[i], b[i]);
	return 0;
}

MODEL wide *wmemchr(const wide *p, wide c, size_t n) {
	for (size_t i = 0; i < n; i++)
		if (p[i] == c) return (wide *)(p + i);
	return 0;
}

#define IN(c, a, b) ((c) >= (a) && (c) <= (b))
// Yes is the bit of glibc's table, or 1, as others have it.
static int yes(int bit, const char *function) { return bit == 1 || __assay_nondet_bool(function) ? 1 : bit; }
#define ASKS(name, condition, bit) MODEL int name(wint c) { return (condition) ? yes(bit, #name) : 0; }
ASKS(iswupper, IN(c, 'A', 'Z'), 256)
ASKS(iswlower, IN(c, 'a', 'z'), 512)
ASKS(iswalpha, IN(c, 'A', 'Z') || IN(c, 'a', 'z'), 1024)
ASKS(iswdigit, IN(c, '0', '9'), 1)
ASKS(iswalnum, IN(c, '0', '9') || IN(c, 'A', 'Z') || IN(c, 'a', 'z'), 8)
ASKS(iswxdigit, IN(c, '0', '9') || IN(c, 'A', 'F') || IN(c, 'a', 'f'), 4096)
ASKS(iswspace, c == ' ' || IN(c, 9, 13), 8192)
ASKS(iswblank, c == ' ' || c == 9, 1)
ASKS(iswprint, IN(c, 32, 126), 16384)
ASKS(iswgraph, IN(c, 33, 126), 32768)
ASKS(iswcntrl, c <= 31 || c == 127, 2)
ASKS(iswpunct, IN(c, 33, 126) && !(IN(c, '0', '9') || IN(c, 'A', 'Z') || IN(c, 'a', 'z')), 4)
MODEL wint towupper(wint c) { return IN(c, 'a', 'z') ? c - 32 : c; }
MODEL wint towlower(wint c) { return IN(c, 'A', 'Z') ? c + 32 : c; }
MODEL wint btowc(int c) { return IN(c, 0, 127) ? (wint)c : ~0u; }
MODEL int wctob(wint c) { return c < 128 ? (int)c : -1; }

enum { ILLEGAL_SEQUENCE = 84 };

static size_t illegal(void) {
	__assay_errno = ILLEGAL_SEQUENCE;
	return (size_t)-1;
}

MODEL int mbtowc(wide *restrict to, const char *restrict s, size_t n) {
	if (!s) return 0;
	if (n == 0) return -1;
	unsigned char c = (unsigned char)*s;
	if (c >= 128) return (int)illegal();
	if (to) *to = c;
	return c != 0;
}

MODEL int mblen(const char *s, size_t n) { return mbtowc(0, s, n); }

MODEL int wctomb(char *s, wide c) {
	if (!s) return 0;
	if (c < 0 || c >= 128) return (int)illegal();
	*s = (char)c;
	return 1;
}

MODEL size_t mbstowcs(wide *restrict to, const char *restrict s, size_t n) {
	size_t i = 0;
	for (; !to || i < n; i++) {
		if ((unsigned char)s[i] >= 128) return illegal();
		if (to) to[i] = s[i];
		if (!s[i]) break;
	}
	return i;
}

MODEL size_t wcstombs(char *restrict to, const wide *restrict s, size_t n) {
	size_t i = 0;
	for (; !to || i < n; i++) {
		if (s[i] < 0 || s[i] >= 128) return illegal();
		if (to) to[i] = (char)s[i];
		if (!s[i]) break;
	}
	return i;
}
