// Integers of odd widths, wide integers, vectors.
#include <assert.h>
typedef int v4 __attribute__((vector_size(16)));
unsigned long long __VERIFIER_nondet_ulonglong(void);
int main(void) {
	_BitInt(17) a = 65535;
	a = a + 1; // done in int, then converted
	unsigned _BitInt(37) u = -1;
	assert(u == 137438953471ull && a == -65536);
	v4 v = {1, 2, 3, 4}, w = {5, 6, 7, 8};
	v4 s = v * w;
	assert(s[0] == 5 && s[3] == 32);
	s = __builtin_shufflevector(v, w, 0, 4, 1, 5);
	assert(s[1] == 5 && s[2] == 2);
	assert((v > 2)[3] == -1 && (v > 2)[0] == 0);
	unsigned long long x = __VERIFIER_nondet_ulonglong();
	assert(__builtin_popcountll(x) <= 64);
	if (x) assert(__builtin_clzll(x) < 64 && __builtin_ctzll(x) < 64);
	assert(__builtin_bswap32(0x01020304) == 0x04030201 && __builtin_bswap64(__builtin_bswap64(x)) == x);
	int r;
	assert(__builtin_add_overflow(2147483647, 1, &r) && r == -2147483647 - 1);
	assert(!__builtin_mul_overflow(3, 4, &r) && r == 12);
	return 0;
}
