package certify

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// jumping is a loop that counts i up and k up by 3; BODY is put into it, BEFORE before
// it, and OTHER are more functions.
const jumping = `module 64 entry @main
global @g size 4 align 4
global @h size 4 align 4
global @a size 40 align 4
global @hidden size 4 align 4
global @p size 8 align 8 const
  reloc 0 @hidden 0
OTHER
func @main() {
entry:
  %q = alloca ptr i64 4 align 4
  store i32 0, %q
  %n = nondet i32 input "n"
  BEFORE
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, latch]
  %k = phi i32 [i32 0, entry], [%l, latch]
  %c = ne i1 %i, %n
  condbr %c, body, end
body:
  %j = add i32 %i, i32 1
  %l = add i32 %k, i32 3
  BODY
  br latch
latch:
  br head
end:
  halt exit
}
`

// jumpText is the program of a body.
func jumpText(before, body, other string) string {
	return strings.NewReplacer("BEFORE", before, "BODY", body, "OTHER", other).Replace(jumping)
}

func parseJumping(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// changeAll are the steps of the phis of a loop head that starts at zeros.
func changeAll(m *ir.Module, n uint64, steps ...uint64) ir.Jump {
	f := m.Func("main")
	j := ir.Jump{Func: "main", Visit: 1, Rounds: n}
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			if f.Def(v).Op == ir.Phi && f.Blocks[b].Name == "head" {
				j.Head = ir.BlockID(b)
				w := f.Type(v).Bits
				s := bv.New(w, steps[len(j.Changes)])
				j.Changes = append(j.Changes, ir.Change{Value: v, Start: bv.New(w, 0), Step: s, End: bv.New(w, n).Mul(s)})
			}
		}
	}
	return j
}

// inputsFirst answers everything with zeros, and inputs with the values in their turn;
// the last one again and again.
type inputsFirst struct {
	interp.Zero
	jumps  []ir.Jump
	inputs []uint64
}

func (o *inputsFirst) Jumps() []ir.Jump { return o.jumps }

func (o *inputsFirst) Next(r interp.Request) (ir.Choice, error) {
	c, err := o.Zero.Next(r)
	if r.Func.Def(r.Value).Op == ir.Nondet && len(o.inputs) > 0 {
		c.Bits = bv.New(r.Type.Bits, o.inputs[0])
		if len(o.inputs) > 1 {
			o.inputs = o.inputs[1:]
		}
	}
	return c, err
}

// judged runs the program with a jump, and gives what the checker says of it.
func judged(t *testing.T, m *ir.Module, j ir.Jump, inputs ...uint64) (err error) {
	t.Helper()
	reached := false
	_, failed := interp.Run(context.Background(), m, interp.Options{Oracle: &inputsFirst{jumps: []ir.Jump{j}, inputs: inputs}, Observe: func(e interp.Event) {
		if e.Kind == interp.Jumping {
			reached = true
			_, err = Jump(context.Background(), m, Options{}, e.Jump, e.State)
		}
	}, StopAt: func(e interp.Event) bool { return e.Kind == interp.Jumping }})
	if failed != nil || !reached {
		t.Fatalf("the run does not come to the jump: %v", failed)
	}
	return err
}

// verdictOf is "ok", or the text of the error.
func verdictOf(err error) string {
	if err == nil {
		return "ok"
	}
	return fmt.Sprintf("%T %v", err, err)
}

const maxInt = 1<<31 - 1

func TestJump(t *testing.T) {
	cell := func(name string, offset, step uint64) func(*ir.Jump) {
		return func(j *ir.Jump) {
			j.Changes = append(j.Changes, ir.Change{Cell: ir.Cell{Global: name, Offset: offset, Bits: 32}, Start: bv.New(32, 0), Step: bv.New(32, step), End: bv.New(32, step*j.Rounds)})
		}
	}
	// local is the cell in the object of q, or of the value p.
	local := func(op ir.Op, step uint64) func(*ir.Jump) {
		return func(j *ir.Jump) {
			cell("", 0, step)(j)
			j.Changes[len(j.Changes)-1].Cell.Pointer = ir.Value(-int32(op))
		}
	}
	replaced := func(k int, end uint64) func(*ir.Jump) {
		return func(j *ir.Jump) {
			j.Changes[k] = ir.Change{Value: j.Changes[k].Value, Kind: ir.Replaced, Start: j.Changes[k].Start, End: bv.New(32, end)}
		}
	}
	assertion := func(c string) string { return "%ok = " + c + "\n check assertion %ok \"ok\"" }
	for _, c := range []struct {
		name, before, body, other string
		rounds                    uint64
		edit                      func(*ir.Jump)
		want                      string
	}{
		{"plain", "", "", "", maxInt, nil, "ok"},
		{"to the end of the loop", "", "", "", maxInt, nil, "ok"},
		{"one too many", "", "", "", maxInt + 1, nil, "leaves the loop"},
		{"wrong step", "", "", "", 5, func(j *ir.Jump) { j.Changes[1].Step = bv.New(32, 2); j.Changes[1].End = bv.New(32, 10) }, "another step"},
		{"wrong end", "", "", "", 5, func(j *ir.Jump) { j.Changes[1].End = bv.New(32, 10) }, "after 5 iterations"},
		{"a variable left out", "", "", "", 5, func(j *ir.Jump) { j.Changes = j.Changes[:1] }, "not to change"},
		{"no iteration", "", "", "", 0, nil, "no iteration"},
		{"break inside", "", "%b = eq i1 %i, i32 77777\n condbr %b, end, more\nmore:", "", maxInt, nil, "leaves the loop"},
		{"break behind the jump", "", "%b = eq i1 %i, i32 77777\n condbr %b, end, more\nmore:", "", 77777, nil, "ok"},
		{"return inside", "", "%b = eq i1 %i, i32 77777\n condbr %b, out, more\nout:\n ret\nmore:", "", maxInt, nil, "leaves the loop"},
		{"exit inside", "", "%b = eq i1 %i, i32 77777\n condbr %b, out, more\nout:\n halt exit\nmore:", "", maxInt, nil, "leaves the loop"},
		{"violation inside", "", assertion("ne i1 %k, i32 777"), "", maxInt, nil, "assertion"},
		{"violation behind the jump", "", assertion("ne i1 %k, i32 777"), "", 259, nil, "ok"},
		{"overflow inside", "", "%o = saddovf i1 %k, i32 3\n%ok = xor i1 %o, i1 1\n check overflow %ok \"o\"", "", maxInt, nil, "overflow"},
		{"overflow behind the jump", "", "%o = saddovf i1 %k, i32 3\n%ok = xor i1 %o, i1 1\n check overflow %ok \"o\"", "", maxInt / 3, nil, "ok"},
		{"assumption inside", "", "%b = ne i1 %i, i32 77\n assume %b", "", 100, nil, "assumption"},
		{"division by zero inside", "", "%z = sub i32 %i, i32 77\n%d = udiv i32 %n, %z", "", 100, nil, "div"},
		{"another path", "", "%b = ult i1 %i, i32 50\n%m = select i32 %b, i32 3, i32 4\n%l2 = add i32 %k, %m\n%bad = sub i32 %l2, %l\n%ok = eq i1 %bad, i32 0\n condbr %ok, more, end\nmore:", "", 100, nil, "leaves the loop"},
		{"a store to a cell", "", "%x = load i32 @g\n%y = add i32 %x, i32 5\nstore %y, @g", "", maxInt, cell("g", 0, 5), "ok"},
		{"a store to a cell at an offset", "", "%e = ptradd ptr @a, i64 8\n%x = load i32 %e\n%y = add i32 %x, i32 5\nstore %y, %e", "", maxInt, cell("a", 8, 5), "ok"},
		{"a store that is left out", "", "%x = load i32 @g\n%y = add i32 %x, i32 5\nstore %y, @g", "", maxInt, nil, "cannot: store"},
		{"a store to an array", "", "%r = and i32 %i, i32 7\n%o = zext i64 %r\n%e = ptradd ptr @a, %o\nstore i32 1, %e", "", 10, nil, "cannot: store"},
		{"half of a cell", "", "store i8 0, @g", "", 10, cell("g", 0, 0), "cannot: store"},
		{"a cell that is stored and put back", "", "store %i, @g\nstore i32 0, @g", "", 10, cell("g", 0, 0), "ok"},
		{"the guard is in memory", "store i32 99, @h", "%x = load i32 @h\n%b = ult i1 %i, %x\n condbr %b, more, end\nmore:", "", 99, nil, "ok"},
		{"the guard is in memory, too many", "store i32 99, @h", "%x = load i32 @h\n%b = ult i1 %i, %x\n condbr %b, more, end\nmore:", "", 100, nil, "leaves the loop"},
		{"the guard is in memory that changes", "store i32 99, @g", "%x = load i32 @g\n%b = ult i1 %i, %x\n condbr %b, more, end\nmore:\n%y = sub i32 %x, i32 1\n store %y, @g", "", 99,
			func(j *ir.Jump) {
				cell("g", 0, 0xffffffff)(j)
				j.Changes[2].Start, j.Changes[2].End = bv.New(32, 99), bv.New(32, 0)
			}, "leaves the loop"},
		{"the guard is behind a constant pointer", "%p0 = load ptr @p\n store i32 5, %p0", "%p1 = load ptr @p\n%x = load i32 %p1\n%b = eq i1 %x, i32 0\n condbr %b, more, end\nmore:", "", 10, nil, "leaves the loop"},
		{"a local cell", "", "%x = load i32 %q\n%y = add i32 %x, i32 5\nstore %y, %q", "", maxInt, local(ir.Alloca, 5), "ok"},
		{"two names of a cell", "%p = ptradd ptr %q, i64 0", "%x = load i32 %p\n%y = add i32 %x, i32 5\nstore %y, %p\nstore i32 0, %q", "", 10, local(ir.PtrAdd, 5), "cannot: store"},
		{"two names of a cell, both listed", "%p = ptradd ptr %q, i64 0", "%x = load i32 %p\n%y = add i32 %x, i32 5\nstore %y, %p\nstore i32 0, %q", "", 10, func(j *ir.Jump) { local(ir.PtrAdd, 5)(j); local(ir.Alloca, 0)(j) }, "another step"},
		{"two names, one is read", "%p = ptradd ptr %q, i64 0", "%x = load i32 %p\n%b = ult i1 %x, i32 20\n condbr %b, more, end\nmore:\n%u = load i32 %q\n%y = add i32 %u, i32 5\nstore %y, %q", "", 5, local(ir.Alloca, 5), "leaves the loop"},
		{"a call without effect", "", "call void @f(%i)", "func @f(%1: i32) {\nentry:\n %o = ne i1 %1, i32 -1\n condbr %o, fine, bad\nbad:\n check assertion i1 0 \"no\"\n halt abort\nfine:\n ret\n}", maxInt, nil, "ok"},
		{"a call that ends the run", "", "call void @f(%i)", "func @f(%1: i32) {\nentry:\n %o = ne i1 %1, i32 500\n condbr %o, fine, bad\nbad:\n halt abort\nfine:\n ret\n}", maxInt, nil, "cannot: halt"},
		{"a call that writes", "", "call void @f(%i)", "func @f(%1: i32) {\nentry:\n store %1, @g\n ret\n}", maxInt, nil, "cannot: store"},
		{"a call that writes a cell", "", "call void @f()", "func @f() {\nentry:\n %x = load i32 @g\n %y = add i32 %x, i32 1\n store %y, @g\n ret\n}", maxInt, cell("g", 0, 1), "ok"},
		{"a call with a local", "", "call void @f(%i)", "func @f(%1: i32) {\nentry:\n %p = alloca ptr i64 4 align 4\n store %1, %p\n ret\n}", maxInt, nil, "ok"},
		{"a call with a loop", "", "call void @f(%i)", "func @f(%1: i32) {\nentry:\n br l\nl:\n %x = phi i32 [i32 0, entry], [%y, l]\n %y = add i32 %x, i32 1\n %b = ult i1 %x, i32 3\n condbr %b, l, e\ne:\n ret\n}", 10, nil, "more than 0 back edges"},
		{"a call through a pointer", "", "%fp = ptradd ptr @f, i64 0\ncall void %fp(%i)", "func @f(%1: i32) {\nentry:\n ret\n}", 10, nil, "cannot: call"},
		{"memory is allocated", "", "%p = malloc ptr i64 4", "", 10, nil, "cannot: malloc"},
		{"an address is seen", "", "%p = ptrtoint i64 @g\n%b = eq i1 %p, i64 0\n condbr %b, end, more\nmore:", "", 10, nil, "cannot: ptrtoint"},
		{"a pointer comes from memory", "", "%p = load ptr @a", "", 10, nil, "cannot: load"},
		{"an input that does not matter", "", "%x = nondet i32 input \"x\"", "", maxInt, nil, "ok"},
		{"an input that matters", "", "%x = nondet i32 input \"x\"\n%b = eq i1 %x, i32 0\n condbr %b, end, more\nmore:", "", maxInt, nil, "leaves the loop"},
		{"an input that is fixed", "", "%x = nondet i32 input \"x\"\n%b = eq i1 %x, i32 0\n condbr %b, end, more\nmore:", "", maxInt, func(j *ir.Jump) { j.Choices = []ir.Choice{{Func: "main", Value: -1, Bits: bv.New(32, 4)}} }, "ok"},
		{"an input that is fixed badly", "", "%x = nondet i32 input \"x\"\n%b = eq i1 %x, i32 4\n condbr %b, end, more\nmore:", "", maxInt, func(j *ir.Jump) { j.Choices = []ir.Choice{{Func: "main", Value: -1, Bits: bv.New(32, 4)}} }, "leaves the loop"},
		{"what is over-approximated is not fixed", "", "%x = nondet i32 approximate \"x\"\n%b = eq i1 %x, i32 0\n condbr %b, end, more\nmore:", "", 9, func(j *ir.Jump) { j.Choices = []ir.Choice{{Func: "main", Value: -1, Bits: bv.New(32, 4)}} }, "over-approximated"},
		{"what is no input is not fixed", "", "", "", 9, func(j *ir.Jump) {
			j.Choices = []ir.Choice{{Func: "main", Value: j.Changes[0].Value, Bits: bv.New(32, 4)}}
		}, "no input"},
		{"replaced", "", "", "", maxInt, replaced(1, 3*maxInt&0xffffffff), "another value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parseJumping(t, jumpText(c.before, c.body, c.other))
			f := m.Func("main")
			find := func(op ir.Op, skip int) ir.Value {
				for b := range f.Blocks {
					for _, v := range f.Blocks[b].Instrs {
						if f.Def(v).Op == op {
							if skip--; skip < 0 {
								return v
							}
						}
					}
				}
				t.Fatalf("no %s", op)
				return 0
			}
			j := changeAll(m, c.rounds, 1, 3)
			if c.edit != nil {
				c.edit(&j)
			}
			for i := range j.Changes {
				if p := &j.Changes[i].Cell.Pointer; *p < 0 {
					*p = find(ir.Op(-*p), 0)
				}
			}
			for i := range j.Choices {
				if p := &j.Choices[i].Value; *p < 0 {
					*p = find(ir.Nondet, 1)
				}
			}
			got := verdictOf(judged(t, m, j, maxInt))
			if got != c.want && (c.want == "ok" || !strings.Contains(got, c.want)) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// alternating adds 1 to k where i is even, and 5 where it is odd, by a loop that goes around once.
const alternating = `module 64 entry @main
func @main() {
entry:
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, latch]
  %k = phi i32 [i32 0, entry], [%l, latch]
  %f = phi i32 [i32 0, entry], [%g, latch]
  %c = ult i1 %i, i32 4000000001
  condbr %c, body, end
body:
  %bit = and i32 %i, i32 1
  %odd = ne i1 %bit, i32 0
  condbr %odd, a, b
a:
  br inner
b:
  br inner
inner:
  %s = phi i32 [i32 4, a], [i32 0, b], [%s, inner]
  %u = phi i32 [i32 0, a], [i32 0, b], [%v, inner]
  %t = phi i32 [%k, a], [%k, b], [%t1, inner]
  %t1 = add i32 %t, i32 1
  %v = add i32 %u, i32 1
  %on = ult i1 %v, i32 1
  condbr %on, inner, latch
latch:
  %l = add i32 %t1, %s
  %g = sub i32 i32 1, %f
  %j = add i32 %i, i32 1
  br head
end:
  halt exit
}
`

// TestJumpPasses is about iterations of several passes, and loops within them.
func TestJumpPasses(t *testing.T) {
	inner := func(n int) []ir.InnerLoop { return []ir.InnerLoop{{Func: "main", Head: 6, N: n}} }
	for _, c := range []struct {
		rounds  uint64
		steps   []uint64
		passes  int
		unwound []ir.InnerLoop
		limit   string // of the inner loop
		want    string
	}{
		{2000000000, []uint64{2, 6, 0}, 2, nil, "1", "ok"},
		{2000000000, []uint64{2, 6, 0}, 2, inner(3), "1", "ok"},
		{2000000001, []uint64{2, 6, 0}, 2, nil, "1", "leaves the loop"},
		{1000000000, []uint64{4, 12, 0}, 4, nil, "1", "ok"},
		{1000, []uint64{1, 1, 0}, 1, nil, "1", "another step"},
		{1000, []uint64{3, 9, 0}, 3, nil, "1", "another step"},
		{1000, []uint64{2, 6, 1}, 2, nil, "1", "another step"},
		{1000, []uint64{2, 6, 0}, 99, nil, "1", "passes"},
		{2000000000, []uint64{2, 10, 0}, 2, inner(2), "3", "ok"},
		{2000000000, []uint64{2, 10, 0}, 2, inner(1), "3", "more than 1 back edges"},
		{2000000000, []uint64{2, 10, 0}, 2, nil, "3", "more than 0 back edges"},
	} {
		m := parseJumping(t, strings.Replace(alternating, "%v, i32 1", "%v, i32 "+c.limit, 1))
		j := changeAll(m, c.rounds, c.steps...)
		j.Passes, j.Unwound = c.passes, c.unwound
		if got := verdictOf(judged(t, m, j)); got != c.want && (c.want == "ok" || !strings.Contains(got, c.want)) {
			t.Errorf("%d times %d: %s, want %s", c.rounds, c.passes, got, c.want)
		}
	}
}

// summing adds up i, keeps the last i, and leaves q as it is.
const summing = `module 64 entry @main
func @main() {
entry:
  br head
head:
  %i = phi i64 [i64 0, entry], [%j, head]
  %s = phi i64 [i64 0, entry], [%t, head]
  %x = phi i64 [i64 0, entry], [%y, head]
  %q = phi ptr [null, entry], [%q, head]
  %t = add i64 %s, %i
  %y = mul i64 %i, i64 2
  %j = add i64 %i, i64 1
  br head
}
`

func TestJumpSums(t *testing.T) {
	m := parseJumping(t, summing)
	claim := func(n uint64) ir.Jump {
		f := m.Func("main")
		w := func(x uint64) bv.BV { return bv.New(64, x) }
		j := ir.Jump{Func: "main", Head: 2, Visit: 1, Rounds: n}
		for _, v := range f.Blocks[2].Instrs[:3] {
			j.Changes = append(j.Changes, ir.Change{Value: v, Start: w(0), Step: w(1)})
		}
		j.Changes[0].End = w(n)
		s := &j.Changes[1]
		s.Kind, s.Step, s.Second = ir.Summed, w(0), w(1)
		s.End = s.After(n)
		j.Changes[2].Kind, j.Changes[2].End = ir.Replaced, w(2*(n-1))
		return j
	}
	for _, c := range []struct {
		n    uint64
		edit func(*ir.Jump)
		want string
	}{
		{1, nil, "ok"},
		{1 << 40, nil, "ok"},
		{^uint64(0), nil, "ok"},
		{1 << 40, func(j *ir.Jump) { j.Changes[2].End = bv.New(64, 7) }, "another value"},
		{1 << 40, func(j *ir.Jump) { j.Changes[1].Second = bv.New(64, 2); j.Changes[1].End = j.Changes[1].After(1 << 40) }, "another step"},
		{1 << 40, func(j *ir.Jump) { j.Changes[1].Step = bv.New(64, 2); j.Changes[1].End = j.Changes[1].After(1 << 40) }, "another step"},
	} {
		j := claim(c.n)
		if c.edit != nil {
			c.edit(&j)
		}
		if got := verdictOf(judged(t, m, j)); got != c.want && (c.want == "ok" || !strings.Contains(got, c.want)) {
			t.Errorf("%d iterations: %s, want %s", c.n, got, c.want)
		}
	}
}

// TestJumpAgainstRuns: what the checker accepts about random loops of 5 bits, the
// interpreter makes.
func TestJumpAgainstRuns(t *testing.T) {
	accepted, rejected := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 77))
		pick := func(of ...string) string { return of[rng.IntN(len(of))] }
		text := fmt.Sprintf(`module 64 entry @main
func @main() {
entry:
  %%n = nondet i5 input "n"
  br head
head:
  %%i = phi i5 [i5 0, entry], [%%j, latch]
  %%k = phi i5 [i5 0, entry], [%%l, latch]
  %%c = %s i1 %%i, %%n
  condbr %%c, %s
body:
  %%d = %s i1 %%k, i5 %d
  condbr %%d, latch, other
other:
  br latch
latch:
  %%p = phi i5 [i5 %d, body], [i5 %d, other]
  %%j = add i5 %%i, i5 %d
  %%l = add i5 %%k, %%p
  br head
end:
  halt exit
}
`, pick("ult", "ule", "slt", "sle", "eq", "ne"), pick("body, end", "end, body"), pick("ult", "slt", "ne"), rng.IntN(32), rng.IntN(4), rng.IntN(4), rng.IntN(8))
		m := parseJumping(t, text)
		f := m.Func("main")
		var steps []uint64
		for range 2 {
			steps = append(steps, rng.Uint64N(8))
		}
		if rng.IntN(6) > 0 {
			for b := range f.Blocks {
				for _, v := range f.Blocks[b].Instrs {
					if d := f.Def(v); d.Op == ir.Add && f.Def(d.Args[1]).Op == ir.Const {
						steps[0] = f.Def(d.Args[1]).Const.Uint64()
					} else if d.Op == ir.Phi && f.Blocks[b].Name == "latch" {
						steps[1] = f.Def(d.Args[rng.IntN(2)]).Const.Uint64()
					}
				}
			}
		}
		n, bound := rng.Uint64N(6)+1, rng.Uint64N(32)
		j := changeAll(m, n, steps...)
		err := judged(t, m, j, bound)
		var no ErrRejected
		if errors.As(err, &no) {
			rejected++
			continue
		} else if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		accepted++
		visits := uint64(0)
		interp.Run(context.Background(), m, interp.Options{Oracle: &inputsFirst{inputs: []uint64{bound}}, Blocks: true, MaxSteps: 10000, Observe: func(e interp.Event) {
			if e.Kind != interp.BlockEntered || e.Block != j.Head {
				return
			}
			for i := range j.Changes {
				c := &j.Changes[i]
				if want := c.After(visits); visits <= n && !e.State.Value(c.Value).Equal(want) {
					t.Fatalf("seed %d: at visit %d, %s instead of %s\n%s", seed, visits, e.State.Value(c.Value), want, text)
				}
			}
			visits++
		}})
		if visits <= n {
			t.Fatalf("seed %d: %d visits, %d iterations accepted\n%s", seed, visits, n, text)
		}
	}
	t.Log(accepted, rejected)
	if accepted < 5 || rejected < 10 {
		t.Errorf("%d accepted, %d rejected", accepted, rejected)
	}
}
