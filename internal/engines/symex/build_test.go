package symex

import (
	"context"
	"fmt"
	"testing"
	"time"

	"assay/internal/program/ir"
)

// stringLength is strlen of [AProVE-Ptr §1] on a string of arbitrary length.
const stringLength = `module 64 entry @main
func @main() {
entry:
  %n = nondet i32 input "n"
  %pos = slt i1 i32 0, %n
  assume %pos
  %size = zext i64 %n
  %s = alloca ptr %size align 1
  %last = sub i64 %size, i64 1
  %end = ptradd ptr %s, %last
  store i8 0, %end
  br head
head:
  %p = phi ptr [%s, entry], [%q, body]
  %c = load i8 %p
  %more = ne i1 %c, i8 0
  condbr %more, body, done
body:
  %q = ptradd ptr %p, i64 1
  br head
done:
  halt exit
}
`

func parse(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestStringLength has the shape of the graph and the work for it: the start, the
// loop head, and the paths to the head and around the loop.
func TestStringLength(t *testing.T) {
	m := parse(t, stringLength)
	var first string
	for range 3 {
		r := Build(context.Background(), m, Options{Targets: []ir.CheckKind{ir.InvalidDeref}, System: true})
		if r.Graph == nil || len(r.Suspects) > 0 {
			t.Fatal(r.Why())
		}
		if r.Stats.Nodes != 2 || r.Stats.Edges != 2 || len(r.Graph.System.Transitions) != 2 {
			t.Errorf("%d nodes, %d edges, %d transitions", r.Stats.Nodes, r.Stats.Edges, len(r.Graph.System.Transitions))
		}
		now := fmt.Sprintf("%+v", r.Stats)
		if first == "" {
			first = now
		}
		if now != first {
			t.Errorf("the work differs: %s and %s", first, now)
		}
	}
	const golden = "{Nodes:2 Edges:2 Steps:51 Forks:5 Joins:1 Queries:75 Syntactic:52 CacheHits:42 Simplex:58}"
	if first != golden {
		t.Errorf("the work is %s\nand was     %s", first, golden)
	}
}

// TestHugeBlock: a block may be as large as the address space; nobody looks for links at each of its offsets.
func TestHugeBlock(t *testing.T) {
	m := parse(t, `module 64 entry @main
func @main() {
entry:
  %n = nondet i32 input "n"
  %p = malloc ptr i64 4611686018427387904
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, body]
  %more = ult i1 %i, %n
  condbr %more, body, done
body:
  %j = add i32 %i, i32 1
  br head
done:
  free %p
  halt exit
}
`)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if r := Build(ctx, m, Options{Targets: []ir.CheckKind{ir.InvalidFree}, System: true}); ctx.Err() != nil {
		t.Error(r.Why())
	}
}

// TestSuspects: without the zero at the end, the loop may leave the string.
func TestSuspects(t *testing.T) {
	m := parse(t, stringLength)
	f := m.Funcs[0]
	for v := range f.Values {
		if f.Values[v].Op == ir.Store {
			f.Values[v].Op, f.Values[v].Args = ir.Label, nil
			f.Values[v].Sym = "nothing"
		}
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	r := Build(context.Background(), m, Options{Targets: []ir.CheckKind{ir.InvalidDeref}})
	if len(r.Suspects) != 1 || r.Suspects[0].Kind != ir.InvalidDeref {
		t.Errorf("suspects: %v, %s", r.Suspects, r.Why())
	}
}

func BenchmarkBuild(b *testing.B) {
	m := parse(b, stringLength)
	var queries, simplex int64
	for b.Loop() {
		r := Build(context.Background(), m, Options{Targets: []ir.CheckKind{ir.InvalidDeref}})
		queries += r.Stats.Queries
		simplex += r.Stats.Simplex
	}
	b.ReportMetric(float64(queries)/b.Elapsed().Seconds(), "queries/s")
	b.ReportMetric(float64(simplex)/float64(queries), "simplex/query")
}
