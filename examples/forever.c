// A generator of pseudo-random numbers comes to every number in the end, but not
// within any number of rounds that can be unwound, and no invariant excludes
// it: an example of an honest unknown (give it a --timeout).
//
// property: unreach-call
// expected: unknown
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned x = 1;
  while (__VERIFIER_nondet_uint() != 0) {
    x = 1664525u * x + 1013904223u;
    assert(x != 2);
  }
  return 0;
}
