// The least and the greatest of the numbers seen are in order, in globals.
#include <assert.h>
extern float __VERIFIER_nondet_float(void);
extern _Bool __VERIFIER_nondet_bool(void);
float lowest, highest;
int seen;

static void add(float x) {
  if (!seen || x < lowest)
    lowest = x;
  if (!seen || x > highest)
    highest = x;
  seen = 1;
}

int main(void) {
  while (__VERIFIER_nondet_bool()) {
    float x = __VERIFIER_nondet_float();
    if (x == x)
      add(x);
  }
  assert(lowest <= highest);
  return 0;
}
