// A low-pass filter over doubles stays within the range of its input, which takes
// an invariant: -1 <= y <= 1.
#include <assert.h>
extern double __VERIFIER_nondet_double(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
  double y = 0;
  while (__VERIFIER_nondet_bool()) {
    double x = __VERIFIER_nondet_double();
    if (!(x >= -1.0 && x <= 1.0))
      continue;
    y = 0.9 * y + 0.1 * x;
  }
  double z = y * 10.0;
  assert(z <= 25.0 && z >= -25.0);
  return 0;
}
