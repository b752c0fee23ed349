// The models and operations of the heap notice misuse.
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
int main(void) {
	int n = __VERIFIER_nondet_int() & 7, x;
	int *p = malloc(8);
	if (n == 0) { free(p); free(p); } // @valid-free
	if (n == 1) free(p + 1); // @valid-free
	if (n == 2) free(&x); // @valid-free
	if (n == 3) { free(p); *p = 1; } // @valid-deref
	if (n == 4) p[2] = 1; // @valid-deref
	if (n == 5) { char *s = "abc"; s[0] = 'x'; } // @valid-deref
	if (n == 1 || n == 2 || n > 3) free(p);
	return 0;
}
