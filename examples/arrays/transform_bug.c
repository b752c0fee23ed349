// As transform.c, but what is added repeats.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n <= 0)
    return 0;
  int a[n], b[n];
  for (int i = 0; i < n; i++)
    a[i] = 7;
  for (int i = 0; i < n; i++)
    b[i] = a[i];
  for (int i = 0; i < n; i++)
    b[i] = b[i] + i % 3;
  for (int i = 0; i < n; i++)
    assert(b[i] == 7 + i);
  return 0;
}
