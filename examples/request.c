// A request (x > 0) is answered (y == 0), again and again: linear temporal logic, after [Liu, Fig. 4.1]. With -DBUG it is not.
// property: ltl
// expected: true
//@ ltl invariant positive: [](AP(x > 0) ==> <>AP(y == 0));
extern int __VERIFIER_nondet_int(void);

int x, y;

int main(void) {
  while (1) {
    y = 1;
    x = __VERIFIER_nondet_int();
    while (x > 0) {
      x--;
#ifndef BUG
      if (x <= 1)
        y = 0;
#endif
    }
  }
}
