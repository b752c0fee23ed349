package assay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// minimum is [2LS Fig. 2].
const minimum = `
extern int __VERIFIER_nondet_int(void);
#include <assert.h>
#include <stdlib.h>
#include <limits.h>
#define APPEND(l,i) {i->next=l; l=i;}
typedef struct node { struct node *next; int val; } Node;
int main() {
  Node *l = NULL;
  int min = INT_MAX;
  while (__VERIFIER_nondet_int()) {
    Node *p = malloc(sizeof(*p));
    p->val = __VERIFIER_nondet_int();
    APPEND(l, p)
    if (min > p->val)
      min = p->val;
  }
  for (Node *i = l; i != NULL; i = i->next)
    assert(i->val >= min);
}
`

// TestRefine proves the example of [2LS §3.1] as the paper asks for it, and refutes it
// without the update of the minimum; shapes alone prove that a list is freed; domains are
// tried one after the other where there is no heap.
func TestRefine(t *testing.T) {
	const freed = `
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { int val; struct node *next; };
int main(void) {
  struct node *l = NULL;
  while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->val = 1; n->next = l; l = n; }
  while (l) { struct node *n = l->next; free(l); l = n; }
}
`
	const counters = `
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), x = 0;
  while (x < n) x++;
  assert(x == n);
}
`
	memory := []Property{ValidDeref, ValidFree, ValidCleanup}
	for _, c := range []struct {
		name, text string
		properties []Property
		engine     Engine
		want       Answer
	}{
		{"minimum", minimum, nil, Engine{Heap: true, ValuesRefine: true}, True},
		{"no update", strings.Replace(minimum, "min = p->val;", ";", 1), nil, Engine{Heap: true, ValuesRefine: true}, False},
		{"freed", freed, memory, Engine{Heap: true}, True},
		{"not freed", strings.Replace(freed, "free(l);", "", 1), memory, Engine{Heap: true}, False},
		{"counters", counters, nil, Engine{ValuesRefine: true}, True},
		{"wrong counters", strings.Replace(counters, "x = 0", "x = 1", 1), nil, Engine{ValuesRefine: true}, False},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f.c")
			if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := Check(context.Background(), Task{Files: []string{file}, Properties: c.properties, Timeout: time.Minute, Engine: c.engine})
			if err != nil {
				t.Fatal(err)
			}
			if r.Answer != c.want {
				t.Errorf("%s, %v", r.Line(), r.Reasons)
			}
			c.engine.Domains = []string{"zones"}
			var input *InputError
			if _, err := Check(context.Background(), Task{Files: []string{file}, Engine: c.engine}); !errors.As(err, &input) {
				t.Errorf("with a domain: %v", err)
			}
		})
	}
}
