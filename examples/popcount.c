// Two ways to count the bits of a number of 16 bits agree.
//
// property: unreach-call
// expected: true
#include <assert.h>

extern unsigned short __VERIFIER_nondet_ushort(void);

static unsigned one_by_one(unsigned x) {
  unsigned n = 0;
  while (x != 0) {
    n += x & 1;
    x >>= 1;
  }
  return n;
}

static unsigned in_parallel(unsigned x) {
  x = x - ((x >> 1) & 0x55555555u);
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  return (x * 0x01010101u) >> 24;
}

int main(void) {
  unsigned x = __VERIFIER_nondet_ushort();
  assert(one_by_one(x) == in_parallel(x));
  return 0;
}
