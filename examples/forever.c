// Nothing bounds this loop, so unwinding alone never ends: an example of an
// honest unknown (give it a --timeout).
//
// property: unreach-call
// expected: unknown
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned x = 0;
  while (__VERIFIER_nondet_uint() != 0) {
    x += 2;
    assert(x % 2 == 0);
  }
  return 0;
}
