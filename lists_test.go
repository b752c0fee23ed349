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

const doubleListMain = `
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { int val; struct node *next, *prev; };
static struct node *build(void) {
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->val = __VERIFIER_nondet_int(); n->next = l; n->prev = NULL;
    if (l) l->prev = n;
    l = n;
  }
  return l;
}
static struct node *last(struct node *p) { while (p && p->next) p = p->next; return p; }
static void drop(struct node *l) { while (l) { struct node *n = l->next; free(l); l = n; } }
static void drop_back(struct node *l) { while (l) { struct node *n = l->prev; free(l); l = n; } }
int main(void) {%s
  return 0;
}
`

type listProgram struct{ name, good, bad, violated string }

// doubleListPrograms are the same for doubly linked lists.
var doubleListPrograms = []listProgram{
	{"append", `
  struct node *t = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->val = 1; n->next = NULL; n->prev = t;
    if (t) t->next = n;
    t = n;
  }
  drop_back(t);`, `
  struct node *t = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->val = 1; n->next = NULL; n->prev = t;
    if (t) t->next = n;
    t = n;
  }
  drop_back(t ? t->prev : t);`, "valid-memtrack"},
	{"unlink", `
  struct node *l = build(), *p = l; int v = __VERIFIER_nondet_int();
  while (p) {
    struct node *n = p->next;
    if (p->val == v) {
      if (p->prev) p->prev->next = p->next; else l = p->next;
      if (p->next) p->next->prev = p->prev;
      free(p);
    }
    p = n;
  }
  drop_back(last(l));`, `
  struct node *l = build(), *p = l; int v = __VERIFIER_nondet_int();
  while (p && p->val != v) p = p->next;
  if (p) {
    if (p->prev) p->prev->next = p->next; else l = p->next;
    free(p);
  }
  drop_back(last(l));`, "valid-deref"},
	{"insert", `
  struct node *l = build(), *p = l;
  if (p) {
    while (p->next && __VERIFIER_nondet_int()) p = p->next;
    struct node *n = malloc(sizeof *n);
    n->val = 2; n->prev = p; n->next = p->next;
    if (p->next) p->next->prev = n;
    p->next = n;
  }
  drop_back(last(l));`, `
  struct node *l = build(), *p = l;
  if (p) {
    while (p->next && __VERIFIER_nondet_int()) p = p->next;
    struct node *n = malloc(sizeof *n);
    n->val = 2; n->prev = p; n->next = p->next;
    p->next = n;
  }
  drop_back(last(l));`, "valid-memtrack"},
	{"reverse", `
  struct node *l = build(), *r = NULL;
  while (l) { struct node *n = l->next; l->next = r; l->prev = NULL; if (r) r->prev = l; r = l; l = n; }
  drop_back(last(r));`, `
  struct node *l = build(), *r = NULL;
  while (l) { struct node *n = l->next; l->next = r; if (r) r->prev = l; r = l; l = n; }
  if (r) assert(!r->prev);
  drop(r);`, "unreach-call"},
	{"set to zero", `
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = calloc(1, sizeof *n);
    assert(n->val == 0);
    if (l) { n->next = l; l->prev = n; }
    l = n;
  }
  drop_back(last(l));`, `
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = calloc(1, sizeof *n);
    if (l) n->next = l;
    l = n;
  }
  drop_back(last(l));`, "valid-memtrack"},
	{"ring", `
  struct node s;
  s.next = s.prev = &s;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->next = s.next; n->prev = &s; s.next->prev = n; s.next = n;
  }
  struct node *p = s.prev;
  while (p != &s) { struct node *q = p->prev; free(p); p = q; }`, `
  struct node s;
  s.next = s.prev = &s;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    n->next = s.next; n->prev = &s; s.next = n;
  }
  struct node *p = s.prev;
  while (p != &s) { struct node *q = p->prev; free(p); p = q; }`, "valid-memtrack"},
	{"ring of nodes", `
  struct node *h = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    if (!h) { n->next = n->prev = n; h = n; }
    else { n->next = h; n->prev = h->prev; h->prev->next = n; h->prev = n; }
  }
  if (h) {
    struct node *p = h->next;
    while (p != h) { struct node *n = p->next; free(p); p = n; }
    free(h);
  }`, `
  struct node *h = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof *n);
    if (!h) { n->next = n->prev = n; h = n; }
    else { n->next = h; n->prev = h->prev; h->prev->next = n; h->prev = n; }
  }
  drop(h);`, "valid-deref"},
	{"first knows last", `
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = calloc(1, sizeof *n);
    if (!l) { l = n; n->prev = n; } else { l->prev->next = n; n->prev = l->prev; l->prev = n; }
  }
  struct node *p = l; unsigned k = __VERIFIER_nondet_int();
  while (p && k) { p = p->next; k--; }
  if (p) {
    if (p != l) p->prev->next = p->next;
    if (p->next) p->next->prev = p->prev;
    if (p == l) l = p->next; else if (!p->next) l->prev = p->prev;
    free(p);
  }
  if (l) {
    struct node *n = calloc(1, sizeof *n);
    l->prev->next = n; n->prev = l->prev; l->prev = n;
  }
  drop(l);`, `
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *n = calloc(1, sizeof *n);
    if (!l) { l = n; n->prev = n; } else { l->prev->next = n; n->prev = l->prev; l->prev = n; }
  }
  struct node *p = l; unsigned k = __VERIFIER_nondet_int();
  while (p && k) { p = p->next; k--; }
  if (p) {
    if (p != l) p->prev->next = p->next;
    if (p->next) p->next->prev = p->prev;
    if (p == l) l = p->next;
    free(p);
  }
  if (l) {
    struct node *n = calloc(1, sizeof *n);
    l->prev->next = n; n->prev = l->prev; l->prev = n;
  }
  drop(l);`, "valid-deref"},
}

// listPrograms are programs over lists of any length, each beside one with a bug
// and what that violates.
var listPrograms = []listProgram{
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
	{"global", `
  static struct node *l;
  while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->val = 1; n->next = l; l = n; }
  for (struct node *p = l; p; p = p->next) assert(p->val == 1);`, `
  static struct node *l;
  while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->val = 1; n->next = NULL; l = n; }`, "valid-memtrack"},
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
	{"struct in a register", `
  struct pair { unsigned size, kind; };
  struct item { struct pair p; struct item *next; } *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct pair p;
    p.size = __VERIFIER_nondet_int(); p.kind = __VERIFIER_nondet_int() ? 0 : 1;
    if (p.kind == 0 && p.size >= 500) continue;
    struct item *n = malloc(sizeof *n);
    n->p = p; n->next = l; l = n;
  }
  for (struct item *i = l; i; i = i->next) assert(i->p.kind == 1 || i->p.size < 500);
  while (l) { struct item *n = l->next; free(l); l = n; }`, `
  struct pair { unsigned size, kind; };
  struct item { struct pair p; struct item *next; } *l = NULL;
  while (__VERIFIER_nondet_int()) {
    struct pair p;
    p.size = __VERIFIER_nondet_int(); p.kind = __VERIFIER_nondet_int() ? 0 : 1;
    if (p.kind == 0 && p.size > 500) continue;
    struct item *n = malloc(sizeof *n);
    n->p = p; n->next = l; l = n;
  }
  for (struct item *i = l; i; i = i->next) assert(i->p.kind == 1 || i->p.size < 500);
  while (l) { struct item *n = l->next; free(l); l = n; }`, "unreach-call"},
	{"bounds that move", `
  struct node *l = build(); int v = 100;
  while (l) { struct node *n = l->next; v = v <= 100 ? v + 1 : v - 1; free(l); l = n; }
  assert(v == 100 || v == 101);`, `
  struct node *l = build(); int v = 100;
  while (l) { struct node *n = l->next; v = v <= 100 ? v + 1 : v - 2; free(l); l = n; }
  assert(v == 100 || v == 101);`, "unreach-call"},
	{"second pointer", `
  struct node *l = build(), *q = l;
  drop(l);
  if (q != l) free(q);`, `
  struct node *l = build(), *q = l;
  drop(l);
  if (q) free(q);`, "valid-free"},
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
	{"order", `
  struct node *l = build();
  while (l) { struct node *n = l->next; free(l); l = n; }`, `
  struct node *l = build();
  while (l) { struct node *n = l; free(l); l = n->next; }`, "valid-deref"},
	{"split", `
  struct node *a = NULL, *b = NULL, *l = build();
  while (l) { struct node *n = l->next; if (l->val > 0) { l->next = a; a = l; } else { l->next = b; b = l; } l = n; }
  for (struct node *p = a; p; p = p->next) assert(p->val > 0);
  drop(a); drop(b);`, `
  struct node *a = NULL, *b = NULL, *l = build();
  while (l) { struct node *n = l->next; if (l->val > 0) { l->next = a; a = l; } else { l->next = b; b = l; } l = n; }
  for (struct node *p = b; p; p = p->next) assert(p->val < 0);
  drop(a); drop(b);`, "unreach-call"},
}

// TestLists proves memory safety, freedom of leaks and assertions of programs over
// lists of any length by graphs with list segments, and refutes their bugs.
func TestLists(t *testing.T) {
	properties, err := ParseProperties("unreach-call,valid-deref,valid-free,valid-memtrack")
	if err != nil {
		t.Fatal(err)
	}
	test := func(main string, c listProgram) {
		t.Run(c.name, func(t *testing.T) {
			ask := func(body, engine string) *Result {
				file := filepath.Join(t.TempDir(), "list.c")
				if err := os.WriteFile(file, []byte(fmt.Sprintf(main, body)), 0o644); err != nil {
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
			if r := ask(c.bad, EngineAuto); r.Line() != "false("+c.violated+")" {
				t.Errorf("the bug: %s, %v", r.Line(), r.Reasons)
			}
		})
	}
	for _, c := range listPrograms {
		test(listMain, c)
	}
	for _, c := range doubleListPrograms {
		c.name = "double " + c.name
		test(doubleListMain, c)
	}
	for _, c := range treePrograms {
		c.name = "tree " + c.name
		test(treeMain, c)
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
