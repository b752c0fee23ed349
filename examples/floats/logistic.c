// The logistic map over floats stays between 0 and 1: the product of a number and of
// what it lacks of 1 needs cases.
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
  float x = 0.3f;
  while (__VERIFIER_nondet_bool()) {
    x = 3.5f * x * (1.0f - x);
    assert(x >= 0.0f && x <= 1.0f);
  }
  return 0;
}
