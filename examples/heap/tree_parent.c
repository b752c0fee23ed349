// A binary search tree: insertion with a pointer to the node above, the end leaf by leaf.
// BUG: the link to a leaf that is freed stays.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *left, *right;
};

static struct node *insert(struct node *root, int value) {
  struct node *above = NULL, *p = root;
  while (p != NULL) {
    above = p;
    p = value < p->value ? p->left : p->right;
  }
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->left = n->right = NULL;
  if (above == NULL)
    return n;
  if (value < above->value)
    above->left = n;
  else
    above->right = n;
  return root;
}

static void drop(struct node *root) {
  while (root != NULL) {
    struct node *above = NULL, *n = root;
    while (n->left != NULL || n->right != NULL) {
      above = n;
      n = n->left != NULL ? n->left : n->right;
    }
#ifndef BUG
    if (above == NULL)
      root = NULL;
    else if (above->left == n)
      above->left = NULL;
    else
      above->right = NULL;
#else
    if (above == NULL)
      root = NULL;
    else if (above->left == n)
      above->left = NULL;
#endif
    free(n);
  }
}

int main(void) {
  struct node *root = NULL;
  while (__VERIFIER_nondet_int())
    root = insert(root, __VERIFIER_nondet_int());
  drop(root);
}
