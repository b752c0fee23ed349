// The sum of an array that was filled and then changed in place, for any length.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0)
    return 0;
  unsigned a[n];
  unsigned sum = 0;
  for (int i = 0; i < n; i++)
    a[i] = 1;
  for (int i = 0; i < n; i++)
    a[i] = a[i] + 2;
  for (int i = 0; i < n; i++)
    sum += a[i];
  assert(sum == 3u * n);
  return 0;
}
