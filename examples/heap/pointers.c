// An array of pointers, of any length, each to a block of its own. BUG: the block in the
// middle is freed, and used afterwards.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000)
    return 0;
  int **blocks = malloc(n * sizeof *blocks);
  for (int i = 0; i < n; i++) {
    blocks[i] = malloc(sizeof(int));
    *blocks[i] = i;
  }
#ifdef BUG
  free(blocks[n / 2]);
#endif
  unsigned sum = 0;
  for (int i = 0; i < n; i++)
    sum += *blocks[i];
  for (int i = 0; i < n; i++)
    free(blocks[i]);
  free(blocks);
  return sum == 0;
}
