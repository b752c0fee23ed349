// A doubly linked list: built, searched, sorted by insertion, reversed, nodes deleted, freed
// from its end. BUG: deletion forgets the link back of the node that follows.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next, *prev;
};

static struct node *build(void) {
  struct node *list = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->value = __VERIFIER_nondet_int();
    n->next = list;
    n->prev = NULL;
    if (list != NULL)
      list->prev = n;
    list = n;
  }
  return list;
}

static struct node *search(struct node *list, int value) {
  while (list != NULL && list->value != value)
    list = list->next;
  return list;
}

static struct node *insert(struct node *list, int value) {
  struct node *n = malloc(sizeof *n), *prev = NULL, *p = list;
  n->value = value;
  while (p != NULL && p->value < value) {
    prev = p;
    p = p->next;
  }
  n->next = p;
  n->prev = prev;
  if (p != NULL)
    p->prev = n;
  if (prev == NULL)
    return n;
  prev->next = n;
  return list;
}

static struct node *reverse(struct node *list) {
  struct node *out = NULL;
  while (list != NULL) {
    struct node *next = list->next;
    list->next = out;
    list->prev = NULL;
    if (out != NULL)
      out->prev = list;
    out = list;
    list = next;
  }
  return out;
}

static struct node *delete(struct node *list, struct node *n) {
  if (n->prev != NULL)
    n->prev->next = n->next;
  else
    list = n->next;
#ifndef BUG
  if (n->next != NULL)
    n->next->prev = n->prev;
#endif
  free(n);
  return list;
}

static void drop(struct node *list) {
  if (list == NULL)
    return;
  while (list->next != NULL)
    list = list->next;
  while (list != NULL) {
    struct node *prev = list->prev;
    free(list);
    list = prev;
  }
}

int main(void) {
  int value = __VERIFIER_nondet_int();
  struct node *list = build();
  list = insert(list, value);
  list = reverse(list);
  struct node *found = search(list, value);
  if (found != NULL)
    list = delete(list, found);
  drop(list);
}
