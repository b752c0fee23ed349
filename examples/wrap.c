// The counter wraps: x stays even on its way over the largest unsigned value,
// so the assertion fails after 51 rounds. A bounded search must get that far;
// the idea is that of [LLUMC, Appendix 5.1].
//
// property: unreach-call
// expected: false(unreach-call)
#include <assert.h>

int main(void) {
  unsigned int x = 4294967295u - 101u;
  while (x >= 10) {
    x += 2;
  }
  assert(x % 2 == 1);
  return 0;
}
