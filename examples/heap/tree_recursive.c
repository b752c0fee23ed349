// A binary search tree: insertion, search and end by recursion. BUG: the node is read after
// it was freed.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *left, *right;
};

static struct node *insert(struct node *n, int value) {
  if (n == NULL) {
    n = malloc(sizeof *n);
    n->value = value;
    n->left = n->right = NULL;
  } else if (value < n->value) {
    n->left = insert(n->left, value);
  } else {
    n->right = insert(n->right, value);
  }
  return n;
}

static int contains(struct node *n, int value) {
  if (n == NULL)
    return 0;
  if (n->value == value)
    return 1;
  return contains(value < n->value ? n->left : n->right, value);
}

static void drop(struct node *n) {
  if (n == NULL)
    return;
  drop(n->left);
#ifdef BUG
  free(n);
  drop(n->right);
#else
  drop(n->right);
  free(n);
#endif
}

int main(void) {
  struct node *root = NULL;
  while (__VERIFIER_nondet_int())
    root = insert(root, __VERIFIER_nondet_int());
  contains(root, __VERIFIER_nondet_int());
  drop(root);
}
