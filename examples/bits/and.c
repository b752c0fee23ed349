// x & a is at most a, which goes down: the second of the three programs of [Liu, §3.1].
// property: termination
// expected: true
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  int x = __VERIFIER_nondet_int(), a = __VERIFIER_nondet_int();
  __VERIFIER_assume(a > 0);
  while (x > 0) {
    a--;
    x = x & a;
  }
}
