// The same list, freed in the wrong order: the loop reads the successor of a
// node that is already gone.
//
// property: valid-deref,valid-free
// expected: false(valid-deref)
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

extern int __VERIFIER_nondet_int(void);

int main(void) {
  struct node *head = NULL;
  for (int i = 0; i < 5; i++) {
    struct node *n = malloc(sizeof *n);
    if (n == NULL) {
      abort();
    }
    n->value = __VERIFIER_nondet_int();
    n->next = head;
    head = n;
  }
  for (struct node *p = head; p != NULL; p = p->next) {
    if (p->value != 0) {
      free(p);
    }
  }
  return 0;
}
