// As minimum.c, but the last element is not looked at.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

static int minimum(const int *a, int n) {
  int least = a[0];
  for (int i = 1; i < n - 1; i++)
    if (a[i] < least)
      least = a[i];
  return least;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0)
    return 0;
  int a[n];
  for (int i = 0; i < n; i++)
    a[i] = __VERIFIER_nondet_int();
  int least = minimum(a, n);
  for (int i = 0; i < n; i++)
    assert(a[i] >= least);
  return 0;
}
