// A singly linked list: built, searched, sorted by insertion, reversed, nodes deleted, freed.
// No access is invalid, and at the end nothing is allocated. BUG: deletion frees the
// node before the links are read.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

static struct node *build(void) {
  struct node *list = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->value = __VERIFIER_nondet_int();
    n->next = list;
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
  struct node **at = &list;
  while (*at != NULL && (*at)->value < value)
    at = &(*at)->next;
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = *at;
  *at = n;
  return list;
}

static struct node *reverse(struct node *list) {
  struct node *out = NULL;
  while (list != NULL) {
    struct node *next = list->next;
    list->next = out;
    out = list;
    list = next;
  }
  return out;
}

static struct node *delete(struct node *list, int value) {
  struct node **at = &list;
  while (*at != NULL) {
    struct node *n = *at;
    if (n->value == value) {
#ifdef BUG
      free(n);
      *at = n->next;
#else
      *at = n->next;
      free(n);
#endif
    } else {
      at = &n->next;
    }
  }
  return list;
}

static void drop(struct node *list) {
  while (list != NULL) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
}

int main(void) {
  int value = __VERIFIER_nondet_int();
  struct node *list = build();
  list = insert(list, value);
  list = reverse(list);
  struct node *found = search(list, value);
  if (found != NULL)
    assert(found->value == value);
  list = delete(list, value);
  drop(list);
}
