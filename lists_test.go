package assay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

const listMain = `
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { int val; struct node *next; };
static struct node *build(void) {
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->val = __VERIFIER_nondet_int(); n->next = l; l = n;
  }
  return l;
}
static void drop(struct node *l) { while (l) { struct node *n = l->next; free(l); l = n; } }
int main(void) {%s
  return 0;
}
`

// listPrograms are programs over lists of any length, each beside one with a bug
// and what that violates.
var listPrograms = []struct{ name, good, bad, violated string }{
	{"append", `
  struct node *head = NULL, *tail = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->val = 7; n->next = NULL;
    if (tail) tail->next = n; else head = n;
    tail = n;
  }
  for (struct node *p = head; p; p = p->next) assert(p->val == 7);
  drop(head);`, `
  struct node *head = NULL, *tail = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->val = 7;
    if (tail) tail->next = n; else head = n;
    tail = n;
  }
  drop(head);`, "valid-deref"},
	{"insert", `
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node **at = &l, *n = malloc(sizeof *n);
    n->val = __VERIFIER_nondet_int();
    while (*at && (*at)->val < n->val) at = &(*at)->next;
    n->next = *at; *at = n;
  }
  drop(l);`, `
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node **at = &l, *n = malloc(sizeof *n);
    n->val = __VERIFIER_nondet_int();
    while (*at && (*at)->val < n->val) at = &(*at)->next;
    n->next = NULL; *at = n;
  }
  drop(l);`, "valid-memtrack"},
	{"reverse", `
  struct node *l = build(), *r = NULL;
  while (l) { struct node *n = l->next; l->next = r; r = l; l = n; }
  drop(r);`, `
  struct node *l = build(), *r = NULL;
  while (l) { struct node *n = l->next; l->next = NULL; r = l; l = n; }
  drop(r);`, "valid-memtrack"},
	{"delete", `
  struct node *l = build(), **p = &l; int v = __VERIFIER_nondet_int();
  while (*p) {
    if ((*p)->val == v) { struct node *d = *p; *p = d->next; free(d); }
    else p = &(*p)->next;
  }
  drop(l);`, `
  struct node *l = build(), **p = &l; int v = __VERIFIER_nondet_int();
  while (*p) {
    if ((*p)->val == v) { struct node *d = *p; free(d); *p = d->next; }
    else p = &(*p)->next;
  }
  drop(l);`, "valid-deref"},
	{"minimum", `
  struct node *l = NULL; int min = 2147483647;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->val = __VERIFIER_nondet_int(); n->next = l; l = n;
    if (n->val < min) min = n->val;
  }
  for (struct node *p = l; p; p = p->next) assert(p->val >= min);
  drop(l);`, `
  struct node *l = NULL; int min = 2147483647;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->val = __VERIFIER_nondet_int(); n->next = l; l = n;
    if (n->val < min && min != 7) min = n->val;
  }
  for (struct node *p = l; p; p = p->next) assert(p->val >= min);
  drop(l);`, "unreach-call"},
	{"cycle", `
  struct node *l = build(), *p = l;
  if (p) { while (p->next) p = p->next; p->next = NULL; }
  drop(l);`, `
  struct node *l = build(), *p = l;
  if (p) { while (p->next) p = p->next; p->next = l; }
  drop(l);`, "valid-deref"},
	{"second pointer", `
  struct node *l = build(), *q = l;
  drop(l);
  if (q != l) free(q);`, `
  struct node *l = build(), *q = l;
  drop(l);
  if (q) free(q);`, "valid-free"},
	{"tail after free", `
  struct node *l = build(), *p = l; int x = 0;
  if (p) { while (p->next) p = p->next; x = p->val; }
  drop(l);
  return x;`, `
  struct node *l = build(), *p = l; int x = 0;
  if (p) while (p->next) p = p->next;
  drop(l);
  if (p) x = p->val;
  return x;`, "valid-deref"},
	{"shared", `
  struct node *l = build(), *m = build();
  if (l && m) { struct node *p = m; while (p->next) p = p->next; p->next = l; l = NULL; }
  drop(l); drop(m);`, `
  struct node *l = build(), *m = build();
  if (l && m) { struct node *p = m; while (p->next) p = p->next; p->next = l; l = l->next; }
  drop(l); drop(m);`, "valid-deref"},
	{"null check", `
  struct node *l = build(), *p = l;
  while (p && p->next) p = p->next->next;
  drop(l);`, `
  struct node *l = build(), *p = l;
  while (p) p = p->next->next;
  drop(l);`, "valid-deref"},
	{"head", `
  struct node *l = build();
  while (l) { struct node *n = l->next; free(l); l = n; }`, `
  struct node *l = build();
  if (l) free(l);`, "valid-memtrack"},
	{"order", `
  struct node *l = build();
  while (l) { struct node *n = l->next; free(l); l = n; }`, `
  struct node *l = build();
  while (l) { struct node *n = l; free(l); l = n->next; }`, "valid-deref"},
	{"swap", `
  struct node *l = build();
  if (l && l->next) { struct node *a = l, *b = l->next; a->next = b->next; b->next = a; l = b; }
  drop(l);`, `
  struct node *l = build();
  if (l && l->next) { struct node *a = l, *b = l->next; a->next = b->next; b->next = a; }
  drop(l);`, "valid-memtrack"},
	{"split", `
  struct node *a = NULL, *b = NULL, *l = build();
  while (l) { struct node *n = l->next; if (l->val > 0) { l->next = a; a = l; } else { l->next = b; b = l; } l = n; }
  for (struct node *p = a; p; p = p->next) assert(p->val > 0);
  drop(a); drop(b);`, `
  struct node *a = NULL, *b = NULL, *l = build();
  while (l) { struct node *n = l->next; if (l->val > 0) { l->next = a; a = l; } else { l->next = b; b = l; } l = n; }
  for (struct node *p = b; p; p = p->next) assert(p->val < 0);
  drop(a); drop(b);`, "unreach-call"},
	{"third node", `
  struct node *l = build();
  if (l && l->next && l->next->next) assert(l->next->next != l);
  drop(l);`, `
  struct node *l = build();
  if (l && l->next && l->next->next) assert(l->next->next->next);
  drop(l);`, "unreach-call"},
}

// TestLists proves memory safety, freedom of leaks and assertions of programs over
// lists of any length by graphs with list segments, and refutes their bugs.
func TestLists(t *testing.T) {
	properties, err := ParseProperties("unreach-call,valid-deref,valid-free,valid-memtrack")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range listPrograms {
		t.Run(c.name, func(t *testing.T) {
			ask := func(body, engine string) *Result {
				file := filepath.Join(t.TempDir(), "list.c")
				if err := os.WriteFile(file, []byte(fmt.Sprintf(listMain, body)), 0o644); err != nil {
					t.Fatal(err)
				}
				r, err := Check(context.Background(), Task{Files: []string{file}, Properties: properties, Timeout: time.Minute, Engine: Engine{Only: engine}})
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			if r := ask(c.good, EngineSymex); r.Line() != "true" {
				t.Errorf("%s, %v", r.Line(), r.Reasons)
			}
			if r := ask(c.bad, EngineSymex); r.Answer == True {
				t.Errorf("the bug is proved not to be one")
			}
			if r := ask(c.bad, EngineAuto); r.Line() != "false("+c.violated+")" {
				t.Errorf("the bug: %s, %v", r.Line(), r.Reasons)
			}
		})
	}
}

// TestListsTerminate proves termination by the lengths of segments; a list that
// ends in itself, and one that grows for ever, have no end.
func TestListsTerminate(t *testing.T) {
	const build = `
  struct node *l = NULL, *last = NULL; int k = __VERIFIER_nondet_int();
  for (int i = 0; i < k; i++) {
    struct node *n = malloc(sizeof *n);
    n->val = __VERIFIER_nondet_int(); n->next = l; l = n; if (!last) last = n;
  }`
	for name, c := range map[string]struct {
		body string
		ends bool
	}{
		"walk and free": {build + `
  for (struct node *p = l; p; p = p->next) p->val = 0;
  drop(l);`, true},
		"reverse": {build + `
  struct node *r = NULL;
  while (l) { struct node *n = l->next; l->next = r; r = l; l = n; }
  drop(r);`, true},
		"cycle": {build + `
  if (last) last->next = l;
  for (struct node *p = l; p; p = p->next) p->val = 0;`, false},
		"growth": {`
  struct node *l = NULL;
  while (1) { struct node *n = malloc(sizeof *n); n->next = l; l = n; }`, false},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "list.c")
			if err := os.WriteFile(file, []byte(fmt.Sprintf(listMain, c.body)), 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := Check(context.Background(), Task{Files: []string{file}, Properties: []Property{Termination}, Timeout: 20 * time.Second, Engine: Engine{Only: EngineSymex}})
			if err != nil {
				t.Fatal(err)
			}
			if (r.Answer == True) != c.ends {
				t.Errorf("%s, %v", r.Line(), r.Reasons)
			}
		})
	}
}
