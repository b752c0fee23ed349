package assay

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// mixed has facts about a list, which a graph proves, and about numbers, which induction proves beside it.
const mixed = `
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
struct node { int data; struct node *next; };
int main(void) {
  struct node *head = 0;
  unsigned n = __VERIFIER_nondet_uint(), even = 0, three = 0;
  for (unsigned i = 0; i < n; i++) {
    struct node *p = malloc(sizeof *p);
    if (!p) break;
    p->data = DATA; p->next = head; head = p;
    even += 2;
    three = (three + 1) % 3;
  }
  assert(even % 2 == 0);
  assert(three < 3);
  for (struct node *p = head; p; p = p->next)
    assert(p->data == 7);
  while (head) { struct node *q = head->next; free(head); head = q; }
  return 0;
}
`

// TestProofInParts: no engine proves all checks of the program, and some prove some.
func TestProofInParts(t *testing.T) {
	ask := func(data string) *Result {
		t.Helper()
		r, err := Check(context.Background(), Task{
			Files:      []string{write(t, strings.Replace(mixed, "DATA", data, 1))},
			Properties: []Property{UnreachCall, ValidDeref}, Timeout: 2 * time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := ask("7")
	if r.Answer != True || r.Certificate == nil || r.Certificate.Parts < 2 || r.Certificate.Checker == "" || r.Certificate.Nodes == 0 || len(r.Certificate.Invariants) == 0 {
		t.Fatalf("%v, certificate %+v", r.Answer, r.Certificate)
	}
	if slices.ContainsFunc(r.Unclean, func(p Place) bool { return strings.Contains(p.Text, "access") }) {
		t.Errorf("accesses are not excluded, which another part proves: %v", r.Unclean)
	}
	if r := ask("three < 2 ? 7 : 8"); r.Answer != False {
		t.Errorf("with a violation behind three iterations: %v", r.Answer)
	}
}
