// A clock that counts milliseconds in 32 bits is right for 49.7 days. The violation
// is behind 4294967296 iterations: a jump makes them at once, and Z3 proves that the
// run makes them.
//
// property: unreach-call
// expected: false(unreach-call)
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  unsigned clock = 0;
  unsigned long elapsed = 0;
  while (__VERIFIER_nondet_int()) {
    clock++;
    elapsed++;
    assert(clock == elapsed);
  }
  return 0;
}
