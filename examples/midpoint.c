// Binary search computes the middle of two indices as (low + high) / 2, which
// overflows on long arrays.
//
// property: no-overflow
// expected: false(no-overflow)
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int midpoint(int low, int high) { return (low + high) / 2; }

int main(void) {
  int low = __VERIFIER_nondet_int();
  int high = __VERIFIER_nondet_int();
  __VERIFIER_assume(0 <= low && low <= high);
  return midpoint(low, high);
}
