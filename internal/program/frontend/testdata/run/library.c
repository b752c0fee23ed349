// Library calls reach the models (trap 5), which are exact where it matters.
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct S { int a, b; };
int main(void) {
	char buf[16], copy[16];
	assert(strlen("abc") == 3);
	strcpy(buf, "hello");
	assert(strcmp(buf, "hello") == 0 && strcmp(buf, "help") < 0 && strncmp(buf, "help", 3) == 0);
	strcat(buf, " you");
	assert(strlen(buf) == 9 && strchr(buf, 'y') == buf + 6 && strrchr(buf, 'o') == buf + 7 && strstr(buf, "lo") == buf + 3);
	memcpy(copy, buf, 10);
	assert(memcmp(copy, buf, 10) == 0);
	memmove(copy + 1, copy, 9);
	assert(copy[0] == 'h' && copy[1] == 'h' && copy[2] == 'e');
	memset(copy, 'x', 4);
	assert(copy[3] == 'x' && copy[4] == 'l');
	assert(abs(-3) == 3 && labs(3) == 3 && isdigit('7') && !isalpha('7') && toupper('a') == 'A');
	assert(fabs(-1.5) == 1.5 && sqrt(9.0) == 3.0 && floor(-0.5) == -1.0 && ceil(0.5) == 1.0 && trunc(-1.5) == -1.0);
	assert(isnan(NAN) && isinf(INFINITY) && !isinf(1.0) && !isnan(1.0f) && signbit(-0.0) && fmod(7.5, 2) == 1.5);
	assert(isfinite(1.0) && isnormal(1.0) && !isnormal(0.0) && fpclassify(0.0) == FP_ZERO);
	int *p = malloc(4 * sizeof *p), *q = calloc(3, sizeof *q);
	assert(p && q && p != q && q[2] == 0);
	p[3] = 9;
	p = realloc(p, 8 * sizeof *p);
	assert(p[3] == 9);
	char *d = strdup("ab");
	assert(d[1] == 'b' && d[2] == 0);
	free(d);
	free(q);
	free(0);
	free(p);
	struct S s = {1, 2};
	s = s; // a struct copied to itself is no overlapping memcpy
	int r = rand();
	assert(r >= 0);
	return 0;
}
