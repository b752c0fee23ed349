// A list of lists: each node of the outer list owns an inner one. All are built, one
// is extended, all are freed. BUG: the inner lists are not freed.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
  int value;
  struct item *next;
};

struct row {
  struct item *items;
  struct row *next;
};

static struct item *items(void) {
  struct item *list = NULL;
  while (__VERIFIER_nondet_int()) {
    struct item *n = malloc(sizeof *n);
    n->value = __VERIFIER_nondet_int();
    n->next = list;
    list = n;
  }
  return list;
}

static struct row *rows(void) {
  struct row *list = NULL;
  while (__VERIFIER_nondet_int()) {
    struct row *n = malloc(sizeof *n);
    n->items = items();
    n->next = list;
    list = n;
  }
  return list;
}

static void extend(struct row *r) {
  while (r != NULL && __VERIFIER_nondet_int())
    r = r->next;
  if (r != NULL) {
    struct item *n = malloc(sizeof *n);
    n->value = 0;
    n->next = r->items;
    r->items = n;
  }
}

static void drop(struct row *r) {
  while (r != NULL) {
    struct row *next = r->next;
    struct item *i = r->items;
#ifndef BUG
    while (i != NULL) {
      struct item *following = i->next;
      free(i);
      i = following;
    }
#endif
    free(r);
    r = next;
  }
}

int main(void) {
  struct row *list = rows();
  extend(list);
  drop(list);
}
