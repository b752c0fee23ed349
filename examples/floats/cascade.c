// Two filters in a row, the second of which is fed by the first.
#include <assert.h>
extern double __VERIFIER_nondet_double(void);

int main(void) {
  double a = 0, b = 0;
  for (;;) {
    double x = __VERIFIER_nondet_double();
    if (!(x >= 0.0 && x <= 5.0))
      continue;
    a = 0.5 * a + 0.5 * x;
    b = 0.75 * b + 0.25 * a;
    assert(b <= 6.0 && b >= 0.0);
  }
}
