package heap

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

const header = `#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next, *other; short tag; };
static int small(void) { return __VERIFIER_nondet_int() & 7; }
`

// programs are turned, with asserts that fail on some runs.
var programs = map[string]string{
	"list": `int main(void) {
  struct node *list = 0;
  while (small()) { struct node *n = malloc(sizeof *n); n->value = small(); n->next = list; list = n; }
  int sum = 0;
  for (struct node *n = list; n; n = n->next) { sum += n->value; assert(sum < 12); }
  return 0; }`,
	"tail, by a pointer to a pointer": `static void append(struct node **l, int v) {
  while (*l) *l = (*l)->next ? (*l)->next : 0;
  *l = malloc(sizeof **l); (*l)->value = v; (*l)->next = 0; }
int main(void) { struct node *l = 0; for (int i = 0; i < small(); i++) { append(&l, i); assert(l->value != 3); } return 0; }`,
	"tree": `static struct node *insert(struct node *t, int v) {
  if (!t) { t = malloc(sizeof *t); t->value = v; t->next = t->other = 0; t->tag = 1; return t; }
  t->tag++;
  if (v < t->value) t->next = insert(t->next, v); else t->other = insert(t->other, v);
  return t; }
static int size(struct node *t) { return t ? 1 + size(t->next) + size(t->other) : 0; }
int main(void) { struct node *t = 0; int n = small();
  for (int i = 0; i < n; i++) t = insert(t, small());
  assert(size(t) == n); assert(!t || t->tag != 4); return 0; }`,
	"kept in globals and structures": `static struct { int n; struct node *first; } queue; static struct node *last;
int main(void) {
  while (small()) { struct node *n = malloc(sizeof *n); n->value = ++queue.n; n->next = 0;
    if (last) last->next = n; else queue.first = n; last = n; }
  assert(!last || last->value == queue.n);
  assert(queue.first != last || queue.n < 2);
  assert(queue.n != 4); return 0; }`,
	"content that was never written": `int main(void) { struct node *n = malloc(sizeof *n); assert(n->value != 0);
  struct node *m = malloc(sizeof *m); m->next = n; n->tag = small(); assert(m->next->tag != 2); assert(m != n); return 0; }`,
	"null": `int main(void) { struct node *n = small() ? malloc(sizeof *n) : 0; if (n) n->next = n; assert(n && n->next == n);
  struct node *m = n ? n->next : n; assert(m == n); return 0; }`,
}

// refused are programs of which nothing is turned.
var refused = map[string]string{
	"freed":                  `int main(void) { struct node *n = malloc(sizeof *n); n->value = 1; free(n); return 0; }`,
	"middle":                 `static void set(short *p) { *p = 1; } int main(void) { struct node *n = malloc(sizeof *n); set(&n->tag); return n->tag; }`,
	"sizes":                  `int main(void) { struct node *n = small() ? malloc(sizeof *n) : malloc(4 * sizeof *n); n->value = 1; return n->value; }`,
	"bytes":                  `int main(void) { struct node *n = malloc(sizeof *n); n->value = 1; return *(char *)n; }`,
	"copied":                 `int main(void) { struct node *n = malloc(sizeof *n), m = {0}; *n = m; return n->value; }`,
	"address":                `int main(void) { struct node *n = malloc(sizeof *n); n->value = 1; return (long)n & 1; }`,
	"other object":           `int main(void) { struct node m, *n = small() ? malloc(sizeof *n) : &m; n->value = 1; return n->value; }`,
	"order":                  `int main(void) { struct node *n = malloc(sizeof *n), *m = malloc(sizeof *n); n->value = m->value = 1; return n < m; }`,
	"pointer seen as number": `int main(void) { struct node *n = malloc(sizeof *n); n->value = 1; union { struct node *p; long x; } u; u.p = n; u.x++; u.p->value = 2; return n->value; }`,
	"array":                  `int main(void) { struct node *n = malloc(sizeof *n); n[small()].value = 1; return 0; }`,
}

func load(t *testing.T, source string) *ir.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(header+source), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}, DataModel: frontend.LP64})
	if err != nil {
		t.Fatal(err)
	}
	return p.Module
}

// inputs answers inputs at random, the same in both programs; content is zero.
type inputs struct{ rng *rand.Rand }

func (inputs) Global(string, uint64) ir.GlobalChoice { return ir.GlobalChoice{} }

func (i inputs) Next(r interp.Request) (ir.Choice, error) {
	c := ir.Choice{Func: r.Func.Name, Value: r.Value}
	if r.Kind == interp.WantValue {
		c.Bits = bv.New(r.Type.Bits, 0)
		if strings.HasPrefix(r.Func.Def(r.Value).Sym, "__VERIFIER") {
			c.Bits = bv.New(r.Type.Bits, i.rng.Uint64())
		}
	}
	return c, nil
}

// trace is what a run does: the branches it takes, by block, and what it violates.
func trace(t *testing.T, m *ir.Module, seed uint64) string {
	t.Helper()
	var b strings.Builder
	_, err := interp.Run(context.Background(), m, interp.Options{
		Oracle: inputs{rand.New(rand.NewPCG(seed, 0))}, MaxSteps: 4000, Blocks: true,
		Observe: func(e interp.Event) {
			switch {
			case e.Kind == interp.BlockEntered:
				fmt.Fprintln(&b, e.Func.Name, e.Block)
			case e.Kind == interp.Violation && e.Check == ir.Assertion:
				fmt.Fprintln(&b, "violation", e.Func.Name, e.Value)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTurn has a program and what it is turned into run in step.
func TestTurn(t *testing.T) {
	for name, source := range programs {
		m := load(t, source)
		turned, err := Turn(m, true)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if full, err := Turn(m, false); err != nil || ir.Verify(full.Module) != nil {
			t.Errorf("%s: %v", name, err)
		}
		violations := 0
		for seed := range uint64(200) {
			want, got := trace(t, m, seed), trace(t, turned.Module, seed)
			// The steps are limited, and the programs need different numbers.
			n := min(len(want), len(got))
			if want[:n] != got[:n] {
				t.Fatalf("%s, seed %d: the runs differ:\n%s\nand\n%s", name, seed, want, got)
			}
			violations += strings.Count(want, "violation")
		}
		if violations == 0 {
			t.Errorf("%s: no run violates anything", name)
		}
	}
}

// TestRefused: what would not run in step is left alone.
func TestRefused(t *testing.T) {
	for name, source := range refused {
		if _, err := Turn(load(t, source), false); !errors.Is(err, ErrNothing) {
			t.Errorf("%s: it is turned", name)
		}
	}
}

// TestCounters: each array that is added names the global that counts its objects, and a
// counter begins with 1.
func TestCounters(t *testing.T) {
	for name, source := range programs {
		m := load(t, source)
		p, err := Turn(m, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		turned := p.Module
		counters := turned.Counters()
		if len(m.Counters()) != 0 || len(counters) == 0 {
			t.Errorf("%s: %d arrays have counters, before %d", name, len(counters), len(m.Counters()))
		}
		for _, g := range turned.Globals[len(m.Globals):] {
			counter := turned.Global(counters[g.Name])
			if g.External != (counter != nil) {
				t.Errorf("%s: @%s is external: %v, and has the counter %q", name, g.Name, g.External, counters[g.Name])
			}
			if counter != nil && (counter.Size != 8 || counter.Init[0] != 1) {
				t.Errorf("%s: the counter of @%s is %+v", name, g.Name, counter)
			}
		}
	}
}
