// A loop with two phases: y stands still, then it moves with x. The invariants
// are equations under conditions on which the loop branches; assay check
// --show-invariants prints them.
//
// property: unreach-call
// flags: --show-invariants
// expected: true
#include <assert.h>

int main(void) {
  int x = 0, y = 50000, z = 0;
  while (x < 1000000) {
    if (x >= 50000)
      y++;
    x++;
  }
  while (y > z) {
    y--;
    x--;
  }
  assert(x == z);
  return 0;
}
