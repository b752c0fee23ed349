package acceleration

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file holds closed forms against iteration: for each kind of guard, all starts,
// steps and bounds of 4 bits, a sample of those of 5 and 6 bits, and each number of iterations.

func parse(t testing.TB, text string) *ir.Module {
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

// guarded is a loop with one variable. A is the start, B the bound, STEP what is added;
// GUARD computes %c, on which the loop goes on.
const guarded = `module 64 entry @main
func @main() {
entry:
  %a = nondet iW input "a"
  %b = nondet iW input "b"
  %s = nondet iW input "s"
  br head
head:
  %x = phi iW [%a, entry], [%y, body]
  GUARD
  condbr %c, SUCCS
body:
  %y = OP iW %x, STEP
  br head
end:
  halt exit
}
`

// answers makes decisions in their order.
type answers struct {
	interp.Zero
	list []uint64
}

func (o *answers) Next(r interp.Request) (ir.Choice, error) {
	if len(o.list) == 0 {
		return ir.Choice{}, interp.ErrOutOfChoices
	}
	c := ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: bv.New(r.Type.Bits, o.list[0])}
	o.list = o.list[1:]
	return c, nil
}

// holds is the guard, on integers of w bits.
type holds func(x, b bv.BV) bool

// overflows is the guard that an operation has none.
func overflows(op ir.Op) holds {
	return func(x, b bv.BV) bool {
		v, _ := interp.Eval(&ir.Def{Op: op, Type: ir.BoolType}, []bv.BV{x, b})
		return !v.IsTrue()
	}
}

func TestGuards(t *testing.T) {
	type guard struct {
		name, text, succs string
		holds             holds
		// exact says that a jump is offered whenever its iterations are made, but for
		// those that wrap, as signed or as unsigned numbers: 's', 'u', or 0 for none.
		exact bool
		wrap  byte
		least int // of jumps that must be possible, if it is not exact
	}
	const on, off = "body, end", "end, body"
	guards := []guard{
		{"x < b", "%c = ult i1 %x, %b", on, func(x, b bv.BV) bool { return x.ULt(b) }, true, 'u', 0},
		{"x <= b", "%c = ule i1 %x, %b", on, func(x, b bv.BV) bool { return !b.ULt(x) }, true, 'u', 0},
		{"b < x", "%c = ult i1 %b, %x", on, func(x, b bv.BV) bool { return b.ULt(x) }, true, 'u', 0},
		{"not x < b", "%c = ult i1 %x, %b", off, func(x, b bv.BV) bool { return !x.ULt(b) }, true, 'u', 0},
		{"x < b, signed", "%c = slt i1 %x, %b", on, func(x, b bv.BV) bool { return x.SLt(b) }, true, 's', 0},
		{"x <= b, signed", "%c = sle i1 %x, %b", on, func(x, b bv.BV) bool { return !b.SLt(x) }, true, 's', 0},
		{"not b <= x, signed", "%c = sle i1 %b, %x", off, func(x, b bv.BV) bool { return x.SLt(b) }, true, 's', 0},
		{"x != b", "%c = ne i1 %x, %b", on, func(x, b bv.BV) bool { return !x.Equal(b) }, true, 0, 0},
		{"not x = b", "%c = eq i1 %b, %x", off, func(x, b bv.BV) bool { return !x.Equal(b) }, true, 0, 0},
		{"3x+1 != b", "%m = mul iW %x, iW 3\n%p = add iW %m, iW 1\n%c = ne i1 %p, %b", on, func(x, b bv.BV) bool {
			return !x.Mul(bv.New(x.Width(), 3)).Add(bv.New(x.Width(), 1)).Equal(b)
		}, true, 0, 0},
		{"6x != b", "%m = mul iW %x, iW 6\n%c = ne i1 %m, %b", on, func(x, b bv.BV) bool { return !x.Mul(bv.New(x.Width(), 6)).Equal(b) }, true, 0, 0},
		{"x+b does not overflow", "%o = saddovf i1 %x, %b\n%c = xor i1 %o, i1 1", on, overflows(ir.SAddOvf), true, 's', 0},
		{"x-b does not overflow", "%o = ssubovf i1 %x, %b", "XX", overflows(ir.SSubOvf), true, 's', 0},
		{"x+b does not carry", "%o = uaddovf i1 %x, %b\n%c = xor i1 %o, i1 1", on, overflows(ir.UAddOvf), true, 'u', 0},
		{"x-b does not borrow", "%c = usubovf i1 %x, %b", off, overflows(ir.USubOvf), true, 'u', 0},
		{"x*b does not overflow", "%c = smulovf i1 %x, %b", off, overflows(ir.SMulOvf), true, 's', 0},
		{"x*b does not overflow, unsigned", "%c = umulovf i1 %x, %b", off, overflows(ir.UMulOvf), true, 'u', 0},
		{"x < b, widened", "%xw = sext i64 %x\n%bw = sext i64 %b\n%c = slt i1 %xw, %bw", on, func(x, b bv.BV) bool { return x.SLt(b) }, true, 's', 0},
		{"x+1 < b, widened", "%xw = zext i64 %x\n%xx = add i64 %xw, i64 1\n%bw = zext i64 %b\n%c = slt i1 %xx, %bw", on, func(x, b bv.BV) bool {
			return x.Uint64()+1 < b.Uint64()
		}, true, 'u', 0},
		{"x != b, widened", "%xw = zext i64 %x\n%bw = zext i64 %b\n%c = ne i1 %xw, %bw", on, func(x, b bv.BV) bool { return !x.Equal(b) }, false, 'u', 100},
		{"the low bit of x", "%r = and iW %x, iW 1\n%k = and iW %b, iW 1\n%c = eq i1 %r, %k", on, func(x, b bv.BV) bool { return x.Bit(0) == b.Bit(0) }, false, 0, 0},
		{"x % 4 = 3", "%r = urem iW %x, iW 4\n%c = eq i1 %r, iW 3", on, func(x, b bv.BV) bool { return x.Bit(0) && x.Bit(1) }, false, 0, 0},
		{"x widened = x + b widened", "%z = zext i16 %x\n%p = add iW %x, %b\n%q = zext i16 %p\n%r = sub i16 %q, %z\n%bw = zext i16 %b\n%c = eq i1 %r, %bw", on, func(x, b bv.BV) bool { return x.Uint64()+b.Uint64() < 1<<x.Width() }, false, 0, 50},
		{"x / 2 < b", "%r = udiv iW %x, iW 2\n%c = ult i1 %r, %b", on, func(x, b bv.BV) bool { return x.LShr(bv.New(x.Width(), 1)).ULt(b) }, false, 0, 0},
	}
	for i, g := range guards {
		if g.succs == "XX" {
			guards[i].text, guards[i].succs = strings.Replace(g.text, "%o", "%c", 1), off
		}
	}
	run := func(g *guard, w uint32, op string, step, sample uint64) {
		text := fmt.Sprint("i", w, " ", step)
		if step == 1<<w {
			text = "%s"
		}
		text = strings.NewReplacer("GUARD", g.text, "SUCCS", g.succs, "STEP", text, "OP", op).Replace(guarded)
		x := &exhaustion{name: fmt.Sprint(g.name, ", ", op, " ", step), w: w, op: op, step: step, sample: sample, holds: g.holds, exact: g.exact, wrap: g.wrap}
		x.run(t, strings.ReplaceAll(text, "iW", fmt.Sprint("i", w)))
		if step == 1 && x.made < g.least {
			t.Errorf("%s: %d jumps with step 1", g.name, x.made)
		}
	}
	for i := range guards {
		g := &guards[i]
		steps, sample := []uint64{0, 1, 3, 6, 13, 16}, uint64(7)
		if g.name == "x < b" || g.name == "x <= b, signed" || g.name == "x != b" {
			sample = 1
		}
		for _, step := range steps {
			run(g, 4, "add", step, sample)
		}
		run(g, 4, "sub", 1, 5)
		run(g, 4, "sub", 8, 11)
		run(g, 5, "add", 28, 37)
		run(g, 6, "add", 5, 211)
	}
}

// exhaustion compares all jumps of a program with iteration.
type exhaustion struct {
	name   string
	w      uint32
	op     string
	step   uint64 // 2^w for one that is no constant
	sample uint64 // one pair of start and bound of so many
	holds  holds
	exact  bool
	wrap   byte
	made   int // jumps
}

func (c *exhaustion) run(t *testing.T, text string) {
	t.Helper()
	m := parse(t, text)
	p := Accelerate(m)
	size := uint64(1) << c.w
	if p == nil {
		if c.step%size != 0 && c.exact {
			t.Errorf("%s: no jump", c.name)
		}
		return
	}
	if err := ir.Verify(p.Module); err != nil {
		t.Fatalf("%s: %v\n%s", c.name, err, ir.Print(p.Module))
	}
	program, err := interp.Compile(p.Module)
	if err != nil {
		t.Fatal(err)
	}
	var head ir.BlockID
	passes := uint64(1) // of an iteration of the first jump
	for k, g := range p.gates {
		head, passes = k.block, uint64(g.jumps[0].path.passes)
	}
	if passes > 1 && c.exact {
		t.Errorf("%s: an iteration has %d passes", c.name, passes)
	}
	phi := m.Func("main").Blocks[head].Instrs[0]
	steps := []uint64{c.step}
	if c.step == size {
		steps = []uint64{1, 6, size - 1, size / 2}
	}
	for _, s := range steps {
		d := bv.New(c.w, s)
		if c.op == "sub" {
			d = d.Neg()
		}
		for i := uint64(0); i < size*size; i += c.sample {
			start, bound := i/size, i%size
			x, b := bv.New(c.w, start), bv.New(c.w, bound)
			possible, wraps := true, false // until now
			for n := uint64(0); n < 2*size+2 && possible; n++ {
				// Here x is what n iterations give, if they are possible, and nothing
				// before the last of them wraps.
				possible = possible && (n == 0 || c.holds(x.Sub(d), b))
				if n >= 2*passes && n%passes == 0 {
					got, reached := end(t, program, head, phi, start, bound, s, n/passes)
					switch {
					case reached && (!possible || !got.Equal(x)):
						t.Fatalf("%s: from %d with bound %d, %d iterations are not made, or give %s and not %s\n%s", c.name, start, bound, n, x, got, ir.Print(p.Module))
					case !reached && possible && !wraps && c.exact && c.step != size:
						t.Fatalf("%s: from %d with bound %d, %d iterations are not offered\n%s", c.name, start, bound, n, ir.Print(p.Module))
					case reached:
						c.made++
					}
				}
				next := x.Add(d)
				if n > 0 {
					wraps = wraps || c.wrapped(x.Sub(d), x, d)
				}
				x = next
			}
		}
	}
}

// wrapped says that x + d is not y as a number of the kind that matters.
func (c *exhaustion) wrapped(x, y, d bv.BV) bool {
	switch c.wrap {
	case 's':
		return x.Int64()+d.Int64() != y.Int64()
	case 'u':
		return int64(x.Uint64())+d.Int64() != int64(y.Uint64())
	}
	return false
}

// end makes a jump of n iterations, and gives x behind it.
func end(t *testing.T, p *interp.Program, head ir.BlockID, phi ir.Value, start, bound, step, n uint64) (x bv.BV, reached bool) {
	_, err := p.Run(context.Background(), interp.Options{Oracle: &answers{list: []uint64{start, bound, step, 1, n}}, Blocks: true, StopAt: func(e interp.Event) bool {
		if e.Kind == interp.Violation {
			t.Fatalf("violation %s", e.Text)
		}
		if e.Kind == interp.BlockEntered && e.Block == head {
			x, reached = e.State.Value(phi), true
		}
		return reached
	}})
	if err != nil {
		t.Fatal(err)
	}
	return x, reached
}

// TestInverse: all odd numbers.
func TestInverse(t *testing.T) {
	for _, w := range []uint32{1, 2, 3, 4, 7, 8, 11} {
		for x := uint64(1); x < 1<<w; x += 2 {
			if got := bv.New(w, x).Mul(inverse(bv.New(w, x))); !got.Equal(bv.New(w, 1)) {
				t.Fatalf("%d of %d bits: %s", x, w, got)
			}
		}
	}
	x := bv.New(64, 0x123456789abcdef1)
	if got := x.Mul(inverse(x)); !got.Equal(bv.New(64, 1)) {
		t.Errorf("64 bits: %s", got)
	}
}
