// A sorted list of any length: insertion through a pointer to the link, a walk that
// compares all nodes with the least number, and its end. No access is invalid,
// no node is lost, freed twice or used after that.
//
// property: unreach-call,valid-memsafety
// expected: true
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
  n->next = *at;
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
