// A list of any length holds what was put into it, and its end is found.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *list = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->value = 1;
    n->next = list;
    list = n;
  }
  for (struct node *n = list; n != NULL; n = n->next)
    assert(n->value == 1);
  return 0;
}
