// What a loop adds to a balance, another one takes away again: whatever the amounts are,
// and however many, nothing is left. The predicates of the loops are equations about sums
// of elements.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0)
    return 0;
  int amount[n];
  for (int i = 0; i < n; i++)
    amount[i] = __VERIFIER_nondet_int();
  unsigned balance = 0;
  for (int i = 0; i < n; i++)
    balance += amount[i];
  for (int i = 0; i < n; i++)
    balance -= amount[i];
  assert(balance == 0);
}
