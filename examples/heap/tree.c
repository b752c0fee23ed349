// A binary search tree: insertion and search in loops, the end by rotating left
// subtrees away. BUG: a node that is there already is inserted again, over its subtree.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *left, *right;
};

static void insert(struct node **at, int value) {
#ifdef BUG
  while (*at != NULL && (*at)->value != value) {
#else
  while (*at != NULL) {
#endif
    if (value < (*at)->value)
      at = &(*at)->left;
    else
      at = &(*at)->right;
  }
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->left = n->right = NULL;
  *at = n;
}

static struct node *find(struct node *n, int value) {
  while (n != NULL && n->value != value)
    n = value < n->value ? n->left : n->right;
  return n;
}

static void drop(struct node *n) {
  while (n != NULL) {
    if (n->left != NULL) {
      struct node *l = n->left;
      n->left = l->right;
      l->right = n;
      n = l;
    } else {
      struct node *r = n->right;
      free(n);
      n = r;
    }
  }
}

int main(void) {
  struct node *root = NULL;
  while (__VERIFIER_nondet_int())
    insert(&root, __VERIFIER_nondet_int());
  int value = __VERIFIER_nondet_int();
  struct node *n = find(root, value);
  if (n != NULL)
    assert(n->value == value);
  drop(root);
}
