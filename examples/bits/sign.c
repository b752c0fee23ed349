// A shifted sign as a mask: the first of the three programs of [Liu, §3.1].
// property: unreach-call
// expected: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  while (x > 0) {
    int s = x >> 31;
    x--;
    int r = x + (s & (1 - s));
    if (r < 0)
      reach_error();
  }
}
