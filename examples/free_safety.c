// Two blocks, one pointing to the other, are freed in the wrong order: the second
// free reads the first block. After [2LS Fig. 5].
//
// property: valid-deref,valid-free
// expected: false(valid-deref)
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int *a = malloc(sizeof(int));
  *a = __VERIFIER_nondet_int();

  int **b = malloc(sizeof(int *));
  *b = a;

  free(b);
  free(*b);
  return 0;
}
