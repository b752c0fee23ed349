package ranking

import (
	"context"
	"fmt"
	"testing"

	"assay/internal/certify/itscheck"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// sequence is a program of n loops, one after the other, as a system: loop k
// counts x_k up to the parameter.
func sequence(n int) *its.System {
	var names []string
	for k := range n {
		names = append(names, fmt.Sprintf("x%d", k))
	}
	s := its.NewSystem(append(names, "n")...)
	bound := linear.Variable(linear.Var(n))
	at := s.Initial
	for k := range n {
		head := s.AddLocation(fmt.Sprintf("loop%d", k))
		x := linear.Var(k)
		enter := s.Build(at, head)
		if k > 0 {
			enter.Assume(linear.AtLeast(linear.Variable(x-1), bound))
		}
		enter.Assign(x, linear.Form{}).Add()
		s.Build(head, head).Assume(linear.Less(linear.Variable(x), bound)).Assign(x, linear.Variable(x).Plus(linear.Int(1))).Add()
		at = head
	}
	return s
}

// nest is n loops, each in the one before.
func nest(n int) *its.System {
	s := sequence(0)
	for k := range n {
		s.Variables = append(s.Variables, fmt.Sprintf("x%d", k))
	}
	// Variable 0 is the bound.
	bound := linear.Variable(0)
	var heads []its.Location
	for k := range n {
		heads = append(heads, s.AddLocation(fmt.Sprintf("loop%d", k)))
	}
	s.Build(s.Initial, heads[0]).Assign(1, linear.Form{}).Add()
	one := linear.Int(1)
	for k := range n {
		x := linear.Var(k + 1)
		inside := s.Build(heads[k], heads[min(k+1, n-1)]).Assume(linear.Less(linear.Variable(x), bound))
		if k+1 < n {
			inside.Assign(x+1, linear.Form{}).Add()
			s.Build(heads[k+1], heads[k]).Assume(linear.AtLeast(linear.Variable(x+1), bound)).Assign(x, linear.Variable(x).Plus(one)).Add()
		} else {
			inside.Assign(x, linear.Variable(x).Plus(one)).Add()
		}
	}
	return s
}

// TestSizes proves sequences and nests; the number of linear programs grows with
// the number of loops.
func TestSizes(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{1, 2, 4, 8} {
		p, ok := Prove(ctx, sequence(n), Options{}).(Proved)
		if !ok || p.Stats.Programs != n {
			t.Errorf("%d loops in sequence: %+v", n, p.Stats)
			continue
		}
		if err := itscheck.Ranking(ctx, sequence(n), p.Argument); err != nil {
			t.Error(err)
		}
	}
	for n := 1; n <= 4; n++ {
		p, ok := Prove(ctx, nest(n), Options{}).(Proved)
		if !ok || p.Stats.Programs > 4*n*n {
			t.Errorf("%d nested loops: %+v", n, p.Stats)
			continue
		}
		if err := itscheck.Ranking(ctx, nest(n), p.Argument); err != nil {
			t.Error(err)
		}
	}
}

// TestFair: a request (x := anything) may come for ever, but while it is served,
// which is what counts as fair here, x falls.
func TestFair(t *testing.T) {
	ctx := context.Background()
	s := its.NewSystem("x")
	idle, busy := s.AddLocation("idle"), s.AddLocation("busy")
	x := linear.Variable(0)
	s.Build(s.Initial, idle).Add()
	s.Build(idle, idle).Add()
	s.Build(idle, busy).Havoc(0).Add()
	s.Build(busy, busy).Assume(linear.AtLeast(x, linear.Constant(linear.Int(1)))).Assign(0, x.Plus(linear.Int(-1))).Add()
	if _, ok := Prove(ctx, s, Options{}).(Failed); !ok {
		t.Fatal("idling for ever was not noticed")
	}
	s.SetFair(func(l its.Location) bool { return l == busy })
	p, ok := Prove(ctx, s, Options{}).(Proved)
	if !ok {
		t.Fatal("no proof")
	}
	if err := itscheck.Ranking(ctx, s, p.Argument); err != nil {
		t.Error(err)
	}
}

// TestUnreachableLoop: a loop for ever that no run reaches, for n = -2 or y = 1 before it.
func TestUnreachableLoop(t *testing.T) {
	s, err := its.ReadKoAT("t", "(RULES s(n,y) -> a(0-2,y) a(n,y) -> a(n+1,1) :|: n < 0 a(n,y) -> b(n,y) :|: n >= 0 && y > 1 a(n,y) -> b(n,y) :|: n >= 0 && y < 1 b(n,y) -> b(n,y))")
	if err != nil {
		t.Fatal(err)
	}
	p, ok := Prove(context.Background(), s, Options{}).(Proved)
	if !ok {
		t.Fatal("no proof")
	}
	if err := itscheck.Ranking(context.Background(), s, p.Argument); err != nil {
		t.Error(err)
	}
}

func TestFailedSaysWhatIsOpen(t *testing.T) {
	s, err := its.ReadKoAT("t", "(RULES s(x,y) -> a(x,y) a(x,y) -> a(x-1,y) :|: x > 0 && y > 0 a(x,y) -> b(x,y) b(x,y) -> b(x+y,y) :|: x > 0)")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	f, ok := Prove(context.Background(), s, Options{OnOpen: func([]Open) { calls++ }}).(Failed)
	if !ok || calls == 0 {
		t.Fatal("proved, or no one was told")
	}
	for _, o := range f.Open {
		for _, i := range o.Transitions {
			if path := o.System.Transitions[i].Path; len(path) != 1 || path[0] != 3 {
				t.Errorf("open: %v, want the last rule only", path)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if f, ok := Prove(ctx, nest(3), Options{}).(Failed); !ok || f.Reason != context.Canceled.Error() {
		t.Errorf("%+v", f)
	}
}

func BenchmarkProve(b *testing.B) {
	for _, n := range []int{1, 5, 10, 20, 40} {
		b.Run(fmt.Sprintf("sequence/%d", n), func(b *testing.B) { benchmark(b, sequence(n)) })
	}
	for n := 1; n <= 6; n++ {
		b.Run(fmt.Sprintf("nest/%d", n), func(b *testing.B) { benchmark(b, nest(n)) })
	}
}

func benchmark(b *testing.B, s *its.System) {
	var stats Stats
	for b.Loop() {
		p, ok := Prove(context.Background(), s, Options{}).(Proved)
		if !ok {
			b.Fatal("no proof")
		}
		stats = p.Stats
	}
	b.ReportMetric(float64(stats.Programs), "programs")
	b.ReportMetric(float64(stats.Pivots), "pivots")
}
