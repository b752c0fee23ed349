// x | n is at least x, so the inner loop ends: the third of the three programs of [Liu, §3.1].
// property: ltl
// expected: true
//@ ltl invariant positive: []<>AP(n < 0);
extern int __VERIFIER_nondet_int(void);

int n, x, y;

int main(void) {
  while (1) {
    n = __VERIFIER_nondet_int();
    x = __VERIFIER_nondet_int();
    y = x - 1;
    while (x > 0 && n > 0) {
      n++;
      y = x | n;
      x = x - y;
    }
#ifndef BUG
    n = -1;
#endif
  }
}
