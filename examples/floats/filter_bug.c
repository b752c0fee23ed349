// A filter whose coefficients are too large: the value leaves the range after a few
// samples.
#include <assert.h>
extern double __VERIFIER_nondet_double(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
  double y = 0;
  while (__VERIFIER_nondet_bool()) {
    double x = __VERIFIER_nondet_double();
    if (!(x >= -1.0 && x <= 1.0))
      continue;
    y = 0.5 * y + x;
  }
  assert(y <= 1.25);
  return 0;
}
