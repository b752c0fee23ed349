#define _GNU_SOURCE
#include "library.h"
#include <search.h>

static int compare(const void *a, const void *b) {
	const int *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static int compare_chars(const void *a, const void *b, void *sign) { return *(int *)sign * (*(const char *)a - *(const char *)b); }

int main(void) {
	int a[8];
	unsigned n = below(9);
	for (unsigned i = 0; i < n; i++) a[i] = (int)below(9);
	qsort(a, n, sizeof a[0], compare);
	for (unsigned i = 0; i < n; i++) OBSERVE(a[i]);
	int key = (int)below(9);
	int *p = bsearch(&key, a, n, sizeof a[0], compare);
	OBSERVE(p ? *p : -1);
	size_t count = n;
	int *q = lfind(&key, a, &count, sizeof a[0], compare);
	OBSERVE(q ? *q : -1);
	char s[12];
	text(s, 7, "abcd");
	int minus = -1;
	qsort_r(s, strlen(s), 1, compare_chars, &minus);
	bytes(s, strlen(s), "qsort_r");
	return 0;
}
