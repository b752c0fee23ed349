package conductor

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/integers/its"
	"assay/internal/program/ir"
)

var fairPrograms = flag.Int("fair", 40, "random programs with Accepts to decide by every engine alone")

// fairTime is what an engine may take before it has no answer.
var fairTime = flag.Duration("fairtime", 100*time.Millisecond, "time for each of them")

// finite is a random program of few states: blocks, and a variable of some bits. A
// block may accept, change the variable, and assume something of it.
type finite struct {
	bits   uint
	blocks []finiteBlock
}

type finiteBlock struct {
	accept   int // 0 no, 1 here, 2 in a function that is called
	op       string
	operand  uint64
	assume   bool
	compare  string // of the condition: eq, ne, ult, nondet
	constant uint64
	yes, no  int // blocks; -1 is the end. Equal if there is no branch
}

func randomFinite(r *rand.Rand) *finite {
	p := &finite{bits: 1 + r.UintN(3)}
	n := 2 + r.IntN(5)
	values := uint64(1) << p.bits
	for range n {
		b := finiteBlock{operand: r.Uint64N(values), constant: r.Uint64N(values)}
		if r.IntN(3) == 0 {
			b.accept = 1 + r.IntN(2)
		}
		b.op = []string{"keep", "add", "add", "xor", "set", "nondet"}[r.IntN(6)]
		b.assume = r.IntN(6) == 0
		b.compare = []string{"eq", "ne", "ult", "nondet"}[r.IntN(4)]
		to := func() int {
			if r.IntN(8) == 0 {
				return -1
			}
			return r.IntN(n)
		}
		b.yes = to()
		if b.no = b.yes; r.IntN(3) > 0 {
			b.no = to()
		}
		p.blocks = append(p.blocks, b)
	}
	return p
}

func (b *finiteBlock) holds(x uint64) bool {
	return map[string]bool{"eq": x == b.constant, "ne": x != b.constant, "ult": x < b.constant, "nondet": true}[b.compare]
}

// step lists the blocks and values after a block that begins with x.
func (p *finite) step(at int, x uint64) (out [][2]int) {
	b := &p.blocks[at]
	mask := uint64(1)<<p.bits - 1
	var values []uint64
	switch b.op {
	case "keep":
		values = []uint64{x}
	case "add":
		values = []uint64{(x + b.operand) & mask}
	case "xor":
		values = []uint64{x ^ b.operand}
	case "set":
		values = []uint64{b.operand}
	case "nondet":
		for v := range mask + 1 {
			values = append(values, v)
		}
	}
	for _, v := range values {
		add := func(to int) {
			if to >= 0 {
				out = append(out, [2]int{to, int(v)})
			}
		}
		switch {
		case b.assume:
			if b.holds(v) {
				add(b.yes)
			}
		case b.compare == "nondet":
			add(b.yes)
			add(b.no)
		case b.holds(v):
			add(b.yes)
		default:
			add(b.no)
		}
	}
	return out
}

// fair says whether some run executes Accept infinitely often: a cycle with an accepting
// block can be reached.
func (p *finite) fair() bool {
	width := 1 << p.bits
	seen := make([]bool, len(p.blocks)*width)
	work := []int{0}
	seen[0] = true
	var edges [][2]int
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		for _, n := range p.step(s/width, uint64(s%width)) {
			t := n[0]*width + n[1]
			edges = append(edges, [2]int{s, t})
			if !seen[t] {
				seen[t] = true
				work = append(work, t)
			}
		}
	}
	component, _ := its.Components(len(seen), edges)
	for _, e := range edges {
		if component[e[0]] == component[e[1]] && p.blocks[e[0]/width].accept > 0 {
			return true
		}
	}
	return false
}

// module is the program.
func (p *finite) module(t *testing.T) *ir.Module {
	t.Helper()
	var s strings.Builder
	s.WriteString("module 64 entry @start\nfunc @mark() {\nb1:\n  accept\n  ret\n}\nfunc @start() {\nb1:\n  call void @main()\n  ret\n}\nfunc @main() {\nentry:\n  br b0\n")
	bits := p.bits
	// Only blocks to which edges lead are there.
	incoming := make([][]string, len(p.blocks))
	incoming[0] = []string{fmt.Sprintf("[i%d 0, entry]", bits)}
	for work, seen := []int{0}, map[int]bool{0: true}; len(work) > 0; work = work[1:] {
		i := work[0]
		b := &p.blocks[i]
		to := []int{b.yes}
		if !b.assume && b.no != b.yes {
			to = append(to, b.no)
		}
		for _, k := range to {
			if k < 0 {
				continue
			}
			incoming[k] = append(incoming[k], fmt.Sprintf("[%%y%d, b%d]", i, i))
			if !seen[k] {
				seen[k] = true
				work = append(work, k)
			}
		}
	}
	name := func(k int) string {
		if k < 0 {
			return "out"
		}
		return fmt.Sprint("b", k)
	}
	for i, b := range p.blocks {
		if incoming[i] == nil {
			continue
		}
		fmt.Fprintf(&s, "b%d:\n  %%x%d = phi i%d %s\n", i, i, bits, strings.Join(incoming[i], ", "))
		if b.accept == 2 {
			s.WriteString("  call void @mark()\n")
		}
		switch b.op {
		case "keep":
			fmt.Fprintf(&s, "  %%y%d = freeze i%d %%x%d\n", i, bits, i)
		case "add", "xor":
			fmt.Fprintf(&s, "  %%y%d = %s i%d %%x%d, i%d %d\n", i, b.op, bits, i, bits, b.operand)
		case "set":
			fmt.Fprintf(&s, "  %%y%d = freeze i%d i%d %d\n", i, bits, bits, b.operand)
		case "nondet":
			fmt.Fprintf(&s, "  %%y%d = nondet i%d input \"y\"\n", i, bits)
		}
		if b.accept == 1 {
			s.WriteString("  accept\n")
		}
		if b.compare == "nondet" {
			fmt.Fprintf(&s, "  %%c%d = nondet i1 input \"c\"\n", i)
		} else {
			fmt.Fprintf(&s, "  %%c%d = %s i1 %%y%d, i%d %d\n", i, b.compare, i, bits, b.constant)
		}
		if b.assume {
			fmt.Fprintf(&s, "  assume %%c%d\n", i)
		}
		if b.assume || b.no == b.yes {
			fmt.Fprintf(&s, "  br %s\n", name(b.yes))
		} else {
			fmt.Fprintf(&s, "  condbr %%c%d, %s, %s\n", i, name(b.yes), name(b.no))
		}
	}
	s.WriteString("out:\n  ret\n}\n")
	m, err := ir.Parse(s.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, s.String())
	}
	return m
}

// TestFairRandom: every engine alone agrees with a search of the states for a fair cycle.
func TestFairRandom(t *testing.T) {
	decided := map[string]int{}
	fair, programs := 0, 0
	for seed := 0; programs < *fairPrograms; seed++ {
		p := randomFinite(rand.New(rand.NewPCG(7, uint64(seed))))
		m := p.module(t)
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		if len(ir.Accepting(m)) == 0 {
			continue
		}
		programs++
		want := p.fair()
		if want {
			fair++
		}
		for _, e := range table {
			if e.Question != Termination || e.Name == "bmc" || e.Name == "symex" { // these prove that all runs end
				continue
			}
			ctx, stop := context.WithTimeout(t.Context(), *fairTime)
			a := Decide(ctx, Task{Module: m, Question: Termination, Fair: true, Semantics: Wrap, Options: Options{Only: e.Name}})
			stop()
			_, isTrue := a.Verdict.(verdict.True)
			_, isFalse := a.Verdict.(verdict.False)
			if isTrue && want || isFalse && !want {
				t.Fatalf("seed %d, %s: %T, but a fair run: %v\n%s", seed, e.Name, a.Verdict, want, ir.Print(m))
			}
			if isTrue {
				decided[e.Name+" true"]++
			}
			if isFalse {
				decided[e.Name+" false"]++
			}
		}
	}
	t.Logf("%d programs, %d with a fair run: %v", programs, fair, decided)
}

// TestFairPrograms: programs with many states, each decided by an engine alone.
func TestFairPrograms(t *testing.T) {
	const begin = "module 64 entry @start\nglobal @g size 4 align 4\nfunc @mark() {\nb1:\n  accept\n  ret\n}\nfunc @start() {\nb1:\n  call void @main()\n  ret\n}\nfunc @main() {\nb1:\n  br h\n"
	// A request sets %x to anything, accepting; then it is served, which accepts
	// in each step or not at all.
	served := func(request, serve string) string {
		return "h:\n  %n = nondet i32 input\n  %p = slt i1 i32 0, %n\n" + request + "  br i\ni:\n  %x = phi i32 [%n, h], [%y, on]\n  %c = slt i1 i32 0, %x\n  condbr %c, on, h\non:\n" + serve + "  %y = sub i32 %x, i32 1\n  br i\n}\n"
	}
	for _, c := range []struct {
		name, engine, body string
		want               string
	}{
		{"requests for ever", "recurrence", served("  accept\n", ""), "false"},
		{"each request is served", "ranking", served("", ""), "true"},
		{"a request may come, which accepts", "ranking", served("  call void @mark()\n", ""), "unknown"},
		{"serving accepts, again and again", "recurrence", served("", "  call void @mark()\n"), "false"},
		{"a counter accepts in each round", "recurrence", "h:\n  %x = phi i64 [i64 0, b1], [%y, h]\n  %y = add i64 %x, i64 1\n  accept\n  br h\n}\n", "false"},
		{"a counter that does not", "recurrence", "h:\n  %x = phi i64 [i64 0, b1], [%y, h]\n  %y = add i64 %x, i64 1\n  br h\n}\n", "unknown"},
		{"a counter accepts up to its limit", "ranking", "h:\n  %x = phi i32 [i32 0, b1], [%y, on], [%x, h]\n  %c = ult i1 %x, i32 1000000000\n  condbr %c, on, h\non:\n  call void @mark()\n  %y = add i32 %x, i32 1\n  br h\n}\n", "true"},
		{"the same over the integers", "integers", "h:\n  %x = phi i32 [i32 0, b1], [%y, on], [%x, h]\n  %c = ult i1 %x, i32 1000000000\n  condbr %c, on, h\non:\n  call void @mark()\n  %y = add i32 %x, i32 1\n  br h\n}\n", "true"},
		{"a state that comes back by inputs", "lasso", "h:\n  %x = nondet i32 input\n  store %x, @g\n  %c = eq i1 %x, i32 123456\n  condbr %c, yes, h\nyes:\n  accept\n  br h\n}\n", "false"},
		{"no accepting state is reached", "unreached", "h:\n  %x = phi i32 [i32 0, b1], [%y, on]\n  %c = eq i1 %x, i32 7\n  condbr %c, bad, on\non:\n  %y = add i32 %x, i32 2\n  br h\nbad:\n  call void @mark()\n  br bad\n}\n", "true"},
		{"one is", "unreached", "h:\n  %x = phi i32 [i32 0, b1], [%y, on]\n  %c = eq i1 %x, i32 8\n  condbr %c, bad, on\non:\n  %y = add i32 %x, i32 2\n  br h\nbad:\n  call void @mark()\n  br bad\n}\n", "unknown"},
		{"entered in the middle", "ranking", "h:\n  %n = nondet i1 input\n  condbr %n, i, j\ni:\n  %x = phi i32 [i32 7, h], [%z, j]\n  %c = slt i1 i32 0, %x\n  condbr %c, down, out\ndown:\n  %y = sub i32 %x, i32 1\n  accept\n  br j\nj:\n  %z = phi i32 [i32 9, h], [%y, down]\n  br i\nout:\n  br out\n}\n", "true"},
	} {
		m, err := ir.Parse(begin + c.body)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := ir.Verify(m); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		a := Decide(t.Context(), Task{Module: m, Question: Termination, Fair: true, Semantics: Wrap, Options: Options{Only: c.engine}})
		got := "unknown"
		switch v := a.Verdict.(type) {
		case verdict.True:
			got = "true"
		case verdict.False:
			got = "false"
			if v.Endless == nil || v.Endless.Accepts == 0 && v.Endless.Set == nil {
				t.Errorf("%s: no Accept in the period", c.name)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s: %+v", c.name, got, c.want, a.Verdict)
		}
	}
}
