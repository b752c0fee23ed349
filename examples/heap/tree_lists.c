// A search tree whose nodes own lists: insertion, and the end by rotations. BUG: the list of
// a node is not freed when the node has no right subtree.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct item {
  int value;
  struct item *next;
};

struct tree {
  struct tree *left, *right;
  struct item *items;
  int key;
};

static void insert(struct tree **at, int key) {
  while (*at != NULL && (*at)->key != key)
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  if (*at == NULL) {
    struct tree *t = malloc(sizeof *t);
    t->left = t->right = NULL;
    t->items = NULL;
    t->key = key;
    *at = t;
  }
  struct item *i = malloc(sizeof *i);
  i->value = 1;
  i->next = (*at)->items;
  (*at)->items = i;
}

int main(void) {
  struct tree *root = NULL;
  while (__VERIFIER_nondet_int())
    insert(&root, __VERIFIER_nondet_int());
  while (root != NULL) {
    if (root->left != NULL) {
      struct tree *left = root->left;
      root->left = left->right;
      left->right = root;
      root = left;
      continue;
    }
    struct tree *right = root->right;
#ifdef BUG
    if (right != NULL)
#endif
    while (root->items != NULL) {
      struct item *next = root->items->next;
      free(root->items);
      root->items = next;
    }
    free(root);
    root = right;
  }
}
