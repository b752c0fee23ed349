// The same list, but what follows the place of insertion is lost.
//
// property: unreach-call,valid-memsafety
// expected: false(valid-memtrack)
#include <assert.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

extern int __VERIFIER_nondet_int(void);

static void insert(struct node **at, int value) {
  while (*at != NULL && (*at)->value < value) {
    at = &(*at)->next;
  }
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = NULL;
  *at = n;
}

int main(void) {
  struct node *list = NULL;
  int least = 1000;
  while (__VERIFIER_nondet_int()) {
    int value = __VERIFIER_nondet_int();
    if (value < least) {
      least = value;
    }
    insert(&list, value);
  }
  for (struct node *p = list; p != NULL; p = p->next) {
    assert(p->value >= least);
  }
  while (list != NULL) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  return 0;
}
