package assay

const treeMain = `
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { int val; struct node *left, *right; };
static void insert(struct node **at, int val) {
  while (*at) at = val < (*at)->val ? &(*at)->left : &(*at)->right;
  struct node *n = malloc(sizeof *n);
  n->val = val; n->left = n->right = NULL; *at = n;
}
static struct node *build(void) {
  struct node *root = NULL;
  while (__VERIFIER_nondet_int()) insert(&root, __VERIFIER_nondet_int());
  return root;
}
static void drop(struct node *n) {
  while (n) {
    struct node *l = n->left;
    if (l) { n->left = l->right; l->right = n; n = l; }
    else { l = n->right; free(n); n = l; }
  }
}
int main(void) {%s
  return 0;
}
`

// treePrograms are those of TestLists for trees.
var treePrograms = []listProgram{
	{"join", `
  struct node *a = build(), *b = build();
  if (a && b) { struct node *p = a; while (p->left) p = p->left; p->left = b; b = NULL; }
  drop(a); drop(b);`, `
  struct node *a = build(), *b = build();
  if (a && b) { struct node *p = a; while (p->left) p = p->left; p->left = b; }
  drop(a); drop(b);`, "valid-deref"},
	{"cursor", `
  struct node *a = build(), *p = a;
  while (p && __VERIFIER_nondet_int()) p = __VERIFIER_nondet_int() ? p->left : p->right;
  if (p) p->val = 1;
  drop(a);`, `
  struct node *a = build(), *p = a;
  while (p && __VERIFIER_nondet_int()) p = __VERIFIER_nondet_int() ? p->left : p->right;
  drop(a);
  if (p) p->val = 1;`, "valid-deref"},
	{"overwrite", `
  struct node *a = build(), *p = a;
  while (p && p->left) p = p->left;
  if (p) p->left = NULL;
  drop(a);`, `
  struct node *a = build(), *p = a;
  if (p) p->left = NULL;
  drop(a);`, "valid-memtrack"},
	{"children", `
  struct node *a = build();
  if (a) { struct node *l = a->left; a->left = a->right; a->right = l; }
  drop(a);`, `
  struct node *a = build();
  if (a) a->left = NULL;
  drop(a);`, "valid-memtrack"},
}
