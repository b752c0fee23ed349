package acceleration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/internal/certify"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// randomLoops is a program of two loops, one after the other or one in the other, over
// three variables, a global and a local in memory.
func randomLoops(rng *rand.Rand) string {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	small := func() string { return fmt.Sprint("i8 ", rng.IntN(6)) }
	operand := func(vars ...string) string {
		if rng.IntN(3) == 0 {
			return "i8 " + fmt.Sprint(rng.IntN(256))
		}
		return pick(vars...)
	}
	compare := func(name string, vars ...string) string {
		return fmt.Sprintf("  %%%s = %s i1 %s, %s\n", name, pick("ult", "ule", "slt", "sle", "ne", "ne", "eq", "uaddovf", "saddovf"), pick(vars...), operand(vars...))
	}
	loop := func(k int, first string, out string) string {
		n := func(s string) string { return strings.ReplaceAll(s, "#", fmt.Sprint(k)) }
		v := []string{n("%x#"), n("%y#"), n("%z#"), "%n"}
		var b strings.Builder
		add := func(format string, args ...any) { fmt.Fprintf(&b, n(format), args...) }
		add("head#:\n  %%x# = phi i8 [%%x%s, from#], [%%xx#, latch#]\n  %%y# = phi i8 [%%y%s, from#], [%%yy#, latch#]\n  %%z# = phi i8 [%%z%s, from#], [%%zz#, latch#]\n", first, first, first)
		b.WriteString(compare(n("c#"), v...))
		add("  condbr %%c#, %s\n", pick(n("body#, ")+out, n(out+", body#")))
		add("body#:\n")
		switch rng.IntN(6) {
		case 0:
			add("  %%i# = nondet i8 input \"i\"\n")
			v = append(v, n("%i#"))
		case 1:
			add("  %%i# = load i8 @g\n  %%gg# = add i8 %%i#, %s\n  store %%gg#, @g\n", pick("i8 1", "i8 3", "%n"))
			v = append(v, n("%i#"))
		case 2:
			add("  %%i# = load i8 %%p\n  %%gg# = sub i8 %%i#, i8 1\n  store %%gg#, %%p\n")
			v = append(v, n("%i#"))
		case 3:
			add("  %%w# = sext i32 %%x#\n  %%w2# = add i32 %%w#, i32 5\n  %%i# = trunc i8 %%w2#\n")
			v = append(v, n("%i#"))
		case 4:
			add("  %%i# = call i8 @f(%s)\n", pick(v...))
			v = append(v, n("%i#"))
		}
		b.WriteString(compare(n("d#"), v...))
		if rng.IntN(4) == 0 {
			add("  %%bit# = and i8 %s, i8 1\n  %%d2# = eq i1 %%bit#, i8 0\n  condbr %%d2#, left#, right#\n", pick(v...))
		} else {
			add("  condbr %%d#, left#, right#\n")
		}
		add("left#:\n  br latch#\nright#:\n  br latch#\nlatch#:\n  %%s# = phi i8 [%s, left#], [%s, right#]\n", small(), small())
		add("  %%xx# = add i8 %%x#, %s\n", small())
		add("  %%yy# = %s i8 %%y#, %s\n", pick("add", "sub", "add", "add", "or"), pick(n("%s#"), n("%s#"), n("%x#"), "%n", small(), pick(v...)))
		if rng.IntN(2) == 0 {
			add("  %%zz# = %s i8 %s, %s\n", pick("add", "sub", "mul", "xor"), pick(n("%z#"), n("%x#"), "%n"), operand(v...))
		} else {
			add("  %%zz# = add i8 %%z#, %s\n", pick(n("%x#"), "%n", small()))
		}
		add("  br head#\n")
		return b.String()
	}
	return `module 64 entry @main
global @g size 1 align 1
func @f(%1: i8) -> i8 {
entry:
  %c = ult i1 %1, i8 200
  condbr %c, a, b
a:
  %x = add i8 %1, i8 1
  ret %x
b:
  ret i8 7
}
func @main() {
  var "x" "int" 8
  var "y" "int" 8
  var "z" "int" 8
  var "g" "int" 8
  var "p" "int" 8
entry:
  %p = alloca ptr i64 1 align 1
  store i8 9, %p
  %n = nondet i8 input "n"
  %x0 = nondet i8 input "x"
  %y0 = nondet i8 input "y"
  %z0 = nondet i8 input "z"
  br from1
from1:
  br head1
` + loop(1, "0", "from2") + "from2:\n  br head2\n" + loop(2, "1", "end") + `end:
  dbg 0, %x2
  dbg 1, %y2
  dbg 2, %z2
  %g = load i8 @g
  dbg 3, %g
  %q = load i8 %p
  dbg 4, %q
  halt exit
}
`
}

// dice makes decisions at random: numbers of iterations are small, some are limits.
type dice struct {
	interp.Zero
	rng *rand.Rand
}

func (o dice) Next(r interp.Request) (ir.Choice, error) {
	c, err := o.Zero.Next(r)
	switch d := r.Func.Def(r.Value); {
	case d.Op != ir.Nondet:
	case d.Sym == chooseName:
		c.Bits = bv.New(8, uint64(o.rng.IntN(4)))
	case d.Sym == countName:
		c.Bits = bv.New(d.Type.Bits, 2+uint64(o.rng.IntN(1<<o.rng.IntN(7))))
	default:
		c.Bits = bv.New(d.Type.Bits, o.rng.Uint64N(1<<(1+o.rng.IntN(8))))
	}
	return c, err
}

// TestRandomLoops runs random programs with jumps; with the iterations of the jumps made
// one by one, the programs themselves come to the same end. That is (J1) without
// its proofs: a closed form that is wrong costs no soundness, but there should be none.
// Of some jumps that really are made as such, the proofs are asked for, too.
func TestRandomLoops(t *testing.T) {
	jumps, programs, summedUp, proved := 0, 0, 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 5))
		text := randomLoops(rng)
		m := parse(t, text)
		p := Accelerate(m)
		if p == nil {
			continue
		}
		programs++
		if err := ir.Verify(p.Module); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(p.Module))
		}
		for run := range 50 {
			rec := interp.NewRecorder(dice{rng: rng})
			before := finalState(t, p.Module, rec, 2000)
			if before == nil {
				continue
			}
			for _, short := range []int64{1 << 40, 0} {
				tr := &translation{p: p, o: Options{Label: "ERROR"}, short: short, visits: map[gateKey]int64{}}
				if err := tr.read(context.Background(), rec.Input()); err != nil {
					t.Fatal(err)
				}
				if len(tr.all) == 0 {
					break
				}
				jumps++
				for _, j := range tr.all {
					for _, c := range j.changes {
						if c.v.how == summed {
							summedUp++
						}
					}
				}
				after := finalState(t, m, interp.Replay(tr.input), 1<<20)
				if !slices.Equal(before, after) {
					t.Fatalf("seed %d.%d (%d): %s with jumps, %s without\n%v\n%s", seed, run, short, before, after, tr.input, ir.Print(p.Module))
				}
				if short == 0 && proved < 25 {
					interp.Run(context.Background(), m, interp.Options{Oracle: interp.Replay(tr.input), Observe: func(e interp.Event) {
						if e.Kind == interp.Jumping {
							if _, err := certify.Jump(context.Background(), m, certify.Options{}, e.Jump, e.State); err != nil {
								t.Errorf("seed %d: %v: %+v\n%s", seed, err, *e.Jump, text)
							}
							proved++
						}
					}})
				}
			}
		}
	}
	t.Log(programs, "programs", jumps, "runs with jumps", summedUp, "sums", proved, "proofs")
	if programs < 100 || jumps < 200 || summedUp < 10 || proved < 5 {
		t.Error("too few of something")
	}
}

// finalState is what the variables are at the end, nil if there is none within the steps.
func finalState(t *testing.T, m *ir.Module, o interp.Oracle, steps int64) (state []string) {
	t.Helper()
	out, err := interp.Run(context.Background(), m, interp.Options{Oracle: o, MaxSteps: steps, Observe: func(e interp.Event) {
		if e.Kind == interp.Assign {
			state = append(state, fmt.Sprint(e.Var.Name, "=", e.Bits))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if out.End != interp.Halted {
		if _, isReplay := o.(*interp.Recorder); !isReplay {
			return []string{out.String(), fmt.Sprint(out.Err)}
		}
		return nil
	}
	return state
}
