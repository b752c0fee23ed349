// What is added in each round is any number up to 7: the bound of the sum is no
// constant of the program, but follows from that of total - 7 * rounds, a row of
// the polyhedra, whose bound is searched.
//
// property: unreach-call
// flags: --polyhedra --rows total-7*rounds --rows rounds-n --rows total
// expected: true
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n >= 0 && n <= 1000);
  int total = 0, rounds = 0;
  while (rounds < n) {
    int step = __VERIFIER_nondet_int();
    __VERIFIER_assume(step >= 0 && step <= 7);
    total += step;
    rounds++;
  }
  assert(total <= 7 * n);
  return 0;
}
