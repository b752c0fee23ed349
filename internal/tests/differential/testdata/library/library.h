// What the programs of this folder share: random inputs, and observations.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned __VERIFIER_nondet_uint(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);

unsigned long long observe(unsigned long long value, const char *name) {
#ifdef NATIVE
	printf("observed %llx %s\n", value, name);
#endif
	return value;
}

#define OBSERVE(x) observe((unsigned long long)(x), #x)

static unsigned below(unsigned n) { return __VERIFIER_nondet_uint() % n; }

// text makes a string of at most most characters of the alphabet.
static char *text(char *s, unsigned most, const char *alphabet) {
	unsigned n = below(most + 1), size = strlen(alphabet);
	for (unsigned i = 0; i < n; i++) s[i] = alphabet[below(size)];
	s[n] = 0;
	return s;
}

static void bytes(const void *p, size_t n, const char *name) {
	const unsigned char *c = p;
	for (size_t i = 0; i < n; i++) observe(c[i], name);
}

static void where(const char *p, const char *base, const char *name) { observe(p ? (unsigned long long)(p - base) : ~0ull, name); }
