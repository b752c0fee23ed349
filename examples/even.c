// A loop that runs as often as the input says: no unwinding ends it. It is proved
// by induction: y is even each time the loop is reached.
//
// property: unreach-call
// expected: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static void check(int condition) {
  if (!condition)
    reach_error();
}

int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0;
  // y wraps around at 2^32, which is even, too.
  while (x < n) {
    x++;
    y += 2;
    if (y > 100)
      y = 0;
  }
  check(y % 2 == 0);
  return 0;
}
