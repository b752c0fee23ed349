package integerize

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"assay/internal/integers/its"
	"assay/internal/logic/bv"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/smt"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/ir/irtest"
)

// The system of a program against runs of the interpreter: every step of a run is a
// step of the system, and every step of an exact transition is one of the program.

func translated(t *testing.T, m *ir.Module, o Options) *Program {
	t.Helper()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	facts, err := absint.Analyze(context.Background(), m, absint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Translate(context.Background(), m, facts, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(m))
	}
	if err := p.System.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

// normalized solves for temporaries: most have a value that follows, and the others
// are for Z3. Runs of the result cannot be taken back to the program.
func normalized(p *Program) *Program {
	for i, tr := range p.System.Transitions {
		tr.Inputs = nil
		p.System.Transitions[i] = p.System.Normalize(tr)
	}
	return p
}

// visit is a location with what is known of its variables.
type visit struct {
	at    its.Location
	value []*big.Int // nil if not known
}

// String has the numbers, so that equal visits have equal strings.
func (v visit) String() string {
	text := fmt.Sprint(v.at)
	for _, n := range v.value {
		if n == nil {
			text += " -"
		} else {
			text += " " + n.String()
		}
	}
	return text
}

// follow runs the program and lists the locations that it visits; each step is
// given to check.
func follow(t *testing.T, p *Program, oracle interp.Oracle, maxSteps int64, check func(from, to visit)) {
	t.Helper()
	relevant := p.System.Relevant(false)
	now := visit{value: make([]*big.Int, len(p.slots))}
	var stack []Call
	var funcs []*ir.Func
	read := func(x bv.BV, v view) *big.Int {
		if v == unsigned {
			return x.Unsigned()
		}
		return x.Signed()
	}
	observe := func(e interp.Event) {
		switch e.Kind {
		case interp.Enter:
			if len(funcs) > 0 {
				stack = append(stack, Call{funcs[len(funcs)-1], e.State.CallSite()})
			}
			funcs = append(funcs, e.Func)
		case interp.Leave:
			funcs = funcs[:len(funcs)-1]
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case interp.BlockEntered:
			for l, place := range p.Places {
				if place.Func != e.Func || place.Block != e.Block || place.Index != 0 || !slices.Equal(place.Calls, stack) {
					continue
				}
				next := visit{its.Location(l), make([]*big.Int, len(p.slots))}
				for x, s := range p.slots {
					switch {
					case !relevant[x]:
					case s.cell != nil:
						g := s.cell.object.key.Global
						if g == nil {
							continue
						}
						if bytes, ok := e.State.Memory(e.State.Symbol(g.Name)+s.cell.offset, s.cell.size); ok {
							var n uint64
							for i, b := range bytes {
								n |= uint64(b) << (8 * i)
							}
							next.value[x] = read(bv.New(s.width, n), s.view)
						}
					case s.value.frame == p.frames[l].frame && p.frames[l].has[x]:
						next.value[x] = read(e.State.Value(s.value.value), s.view)
					}
				}
				check(now, next)
				now = next
			}
		}
	}
	_, err := interp.Run(context.Background(), p.Module, interp.Options{Oracle: oracle, MaxSteps: maxSteps, MaxFrames: 100, Observe: observe, Blocks: true})
	if err != nil {
		t.Fatal(err)
	}
}

// query is the step of a transition between states as far as they are known.
func query(p *Program, tr *its.Transition, from, to []*big.Int) conjunction.Query {
	q := conjunction.Query{Variables: len(p.slots) + tr.Temps, Constraints: slices.Clone(tr.Guard)}
	for _, pr := range tr.Products {
		q.Products = append(q.Products, conjunction.Product{V: pr.Temp, A: pr.A, B: pr.B})
	}
	for x, n := range from {
		if n != nil {
			q.Constraints = append(q.Constraints, linear.Equals(linear.Variable(linear.Var(x)), linear.Constant(linear.FromBigInt(n))))
		}
	}
	for x, n := range to {
		if n != nil {
			q.Constraints = append(q.Constraints, linear.Equals(tr.Update[x], linear.Constant(linear.FromBigInt(n))))
		}
	}
	return q
}

// possible excludes steps by the constraints without temporaries, quickly.
func possible(p *Program, tr *its.Transition, from, to visit) bool {
	known := func(f linear.Form) bool {
		for _, m := range f.Terms {
			if int(m.Var) >= len(from.value) || from.value[m.Var] == nil {
				return false
			}
		}
		return true
	}
	value := func(v linear.Var) linear.Number { return linear.FromBigInt(from.value[v]) }
	for _, c := range tr.Guard {
		if known(c.Form) && !c.Holds(value) {
			return false
		}
	}
	for x, n := range to.value {
		if n != nil && known(tr.Update[x]) && !tr.Update[x].Eval(value).Equal(linear.FromBigInt(n)) {
			return false
		}
	}
	return true
}

// allows says whether the system has a step; steps between locations that have none
// in between.
func allows(t *testing.T, z *conjunction.Solver, p *Program, from, to visit) bool {
	t.Helper()
	for i := range p.System.Transitions {
		tr := &p.System.Transitions[i]
		if tr.From != from.at || tr.To != to.at || !possible(p, tr, from, to) {
			continue
		}
		if tr.Temps == 0 {
			return true
		}
		st, _, err := z.Solve(context.Background(), query(p, tr, from.value, to.value))
		if err != nil {
			t.Fatal(err)
		}
		if st != smt.Unsat {
			return true
		}
	}
	return false
}

func sound(t *testing.T, p *Program, oracle interp.Oracle, maxSteps int64, z *conjunction.Solver, known map[string]bool) (steps int) {
	t.Helper()
	follow(t, p, oracle, maxSteps, func(from, to visit) {
		key := fmt.Sprint(from, to)
		if known[key] || t.Failed() {
			return
		}
		known[key] = true
		steps++
		if !allows(t, z, p, from, to) {
			t.Errorf("a step of the program is not one of the system: %v -> %v\n%s\n%s", from, to, ir.Print(p.Module), p.System)
		}
	})
	return steps
}

// given decides inputs in order, and zeros from then on.
type given struct {
	interp.Zero
	values []bv.BV
}

func (g *given) Next(r interp.Request) (ir.Choice, error) {
	if r.Kind == interp.WantValue && len(g.values) > 0 && g.values[0].Width() == r.Type.Bits {
		c := ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: g.values[0]}
		g.values = g.values[1:]
		return c, nil
	}
	return g.Zero.Next(r)
}

const width = 3

// loopOf is a program whose state a, b becomes step(a, b) each time round.
func loopOf(step func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value), view ir.Op) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	ty := ir.IntType(width)
	entry, head, body, exit := b.Block("entry"), b.Block("head"), b.Block("body"), b.Block("exit")
	b.At(entry)
	x0, y0 := b.Nondet(ty, ir.NondetInput, "x"), b.Nondet(ty, ir.NondetInput, "y")
	b.Br(head)
	b.At(head)
	x, y := b.Phi(ty), b.Phi(ty)
	c := b.Cmp(view, x, y)
	b.CondBr(c, body, exit)
	b.At(exit)
	// Both are looked at, whichever way.
	again := b.Nondet(ir.BoolType, ir.NondetInput, "again")
	b.CondBr(again, body, exit+1)
	end := b.Block("end")
	b.At(end)
	b.Halt(ir.HaltExit)
	b.At(body)
	x1, y1 := step(b, x, y)
	from := b.Current()
	b.Br(head)
	b.AddIncoming(x, x0, entry)
	b.AddIncoming(x, x1, from)
	b.AddIncoming(y, y0, entry)
	b.AddIncoming(y, y1, from)
	b.Done()
	return m
}

// TestOperations: every operation on all operands of 4 bits, in both views.
func TestOperations(t *testing.T) {
	ty := ir.IntType(width)
	type operation struct {
		name  string
		exact bool // at least one transition must be
		step  func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value)
	}
	var all []operation
	for _, op := range []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.UDiv, ir.SDiv, ir.URem, ir.SRem, ir.Shl, ir.LShr, ir.AShr, ir.And, ir.Or, ir.Xor} {
		all = append(all, operation{op.String(), op == ir.Add || op == ir.Sub || op == ir.Mul, func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value) { return b.Bin(op, x, y), y }})
		for _, k := range []uint64{1, 3, 6, 7} {
			all = append(all, operation{fmt.Sprintf("%s %d", op, k), false, func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value) { return b.Bin(op, x, b.Const(width, k)), y }})
		}
		for _, k := range []uint64{7} {
			all = append(all, operation{fmt.Sprintf("%s x+%d", op, k), false, func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value) {
				return b.Bin(op, b.Bin(ir.Add, x, b.Const(width, k)), x), y
			}})
		}
	}
	for _, op := range []ir.Op{ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe, ir.SAddOvf, ir.UAddOvf, ir.SSubOvf, ir.USubOvf, ir.SMulOvf, ir.UMulOvf} {
		all = append(all, operation{op.String(), true, func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value) {
			return b.Select(b.Op(op, ir.BoolType, x, y), b.Bin(ir.Add, y, b.Const(width, 1)), x), b.Op(ir.ZExt, ty, b.Op(op, ir.BoolType, y, b.Const(width, 5)))
		}})
	}
	all = append(all,
		operation{"casts", true, func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value) {
			s := b.Op(ir.SExt, ir.IntType(7), x)
			z := b.Op(ir.ZExt, ir.IntType(7), y)
			return b.Op(ir.Trunc, ty, b.Bin(ir.AShr, b.Bin(ir.Add, s, z), b.Const(7, 1))), b.Op(ir.SExt, ty, b.Op(ir.Trunc, ir.IntType(2), x))
		}},
		operation{"logic of conditions", true, func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value) {
			p, q := b.Cmp(ir.SLt, x, y), b.Cmp(ir.ULt, b.Const(width, 3), x)
			r := b.Bin(ir.Xor, b.Bin(ir.And, p, q), b.Bin(ir.Or, q, b.Cmp(ir.Eq, y, b.Const(width, 7))))
			return b.Select(r, x, b.Bin(ir.Sub, x, y)), b.Op(ir.ZExt, ty, r)
		}},
		operation{"a product and a difference", true, func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value) {
			return b.Bin(ir.Sub, b.Bin(ir.Mul, x, x), b.Bin(ir.Mul, x, y)), b.Bin(ir.Mul, y, b.Const(width, 13))
		}},
		operation{"neighbours", false, func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value) {
			before, opposite := b.Bin(ir.Sub, x, b.Const(width, 1)), b.Bin(ir.Sub, b.Const(width, 0), x)
			return b.Bin(ir.And, x, before), b.Bin(ir.Or, b.Bin(ir.And, x, opposite), b.Bin(ir.Xor, y, y))
		}},
		operation{"aligned", true, func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value) {
			twice, bit := b.Bin(ir.Shl, x, b.Const(width, 1)), b.Bin(ir.And, y, b.Const(width, 1))
			return b.Bin(ir.Or, twice, bit), b.Bin(ir.Xor, b.Bin(ir.Xor, bit, twice), b.Const(width, 2))
		}},
		operation{"freeze and counts", false, func(b *ir.Builder, x, y ir.Value) (ir.Value, ir.Value) {
			return b.Op(ir.Ctpop, ty, b.Op(ir.Freeze, ty, x)), b.Op(ir.Cttz, ty, y)
		}},
	)
	z := &conjunction.Solver{}
	defer z.Close()
	for _, o := range all {
		for _, view := range []ir.Op{ir.ULt, ir.SLt} {
			t.Run(o.name+" "+view.String(), func(t *testing.T) {
				p := normalized(translated(t, loopOf(o.step, view), Options{}))
				known := map[string]bool{}
				successors := map[string][]visit{}
				for a := range uint64(1 << width) {
					for b := range uint64(1 << width) {
						g := &given{values: []bv.BV{bv.New(width, a), bv.New(width, b), bv.New(1, 1)}}
						n := 0
						follow(t, p, g, 40, func(from, to visit) {
							if n++; n > 2 || t.Failed() || n == 1 && a%4 != b {
								return
							}
							successors[fmt.Sprint(from)] = append(successors[fmt.Sprint(from)], to)
							key := fmt.Sprint(from, to)
							if !known[key] && !allows(t, z, p, from, to) {
								t.Errorf("not a step of the system: %v -> %v\n%s", from, to, p.System)
							}
							known[key] = true
						})
					}
				}
				exact(t, z, p, successors, o.exact)
			})
		}
	}
}

// exact: what an exact transition does in a state, the program does.
func exact(t *testing.T, z *conjunction.Solver, p *Program, successors map[string][]visit, want bool) {
	some := false
	for i := range p.System.Transitions {
		tr := &p.System.Transitions[i]
		if !tr.Exact || tr.From == 0 {
			continue
		}
		some = true
		for a := range int64(1 << width) {
			for b := range int64(1 << width) {
				from := visit{tr.From, make([]*big.Int, len(p.slots))}
				n := 0
				for x, s := range p.slots {
					if !p.System.Relevant(false)[x] {
						continue
					}
					v := bv.New(width, uint64([]int64{a, b}[n%2]))
					n++
					if from.value[x] = v.Signed(); s.view == unsigned {
						from.value[x] = v.Unsigned()
					}
				}
				if !possible(p, tr, from, visit{}) {
					continue
				}
				q := query(p, tr, from.value, nil)
				for _, next := range successors[fmt.Sprint(from)] {
					var different []linear.Constraint
					for x, v := range next.value {
						if v != nil {
							e := linear.Equals(tr.Update[x], linear.Constant(linear.FromBigInt(v)))
							different = append(different, e.Negations()...)
						}
					}
					q.Clauses = append(q.Clauses, different)
				}
				st, model, err := z.Solve(context.Background(), q)
				if err != nil {
					t.Fatal(err)
				}
				if st != smt.Unsat {
					t.Fatalf("an exact transition is not one of the program, from %v to none of %v: %v %v\n%s", from, successors[fmt.Sprint(from)], st, model, p.System.Format(tr))
				}
			}
		}
	}
	if want && !some {
		t.Errorf("nothing is exact\n%s", p.System)
	}
}

// TestRandomPrograms: runs of random programs with calls, memory and loops.
// ASSAY_RANDOM_PROGRAMS=n tries n programs.
func TestRandomPrograms(t *testing.T) {
	programs := 60
	if n, err := strconv.Atoi(os.Getenv("ASSAY_RANDOM_PROGRAMS")); err == nil {
		programs = n
	}
	z := &conjunction.Solver{}
	defer z.Close()
	tried, steps := 0, 0
	for i := range programs {
		m := irtest.Random(rand.New(rand.NewPCG(uint64(i), 5)), irtest.Options{Funcs: 2, Blocks: 6, Instrs: 6, Only: func(op ir.Op) bool {
			return op != ir.Unsupported
		}})
		facts, err := absint.Analyze(context.Background(), m, absint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := Translate(context.Background(), m, facts, Options{})
		if err != nil || p.Recursive {
			continue
		}
		if slices.ContainsFunc(p.Places, func(l Place) bool { return l.Index != 0 }) {
			continue
		}
		tried++
		known := map[string]bool{}
		for seed := range uint64(4) {
			steps += sound(t, p, interp.Random(seed), 300, z, known)
			if t.Failed() {
				t.Fatal("program", i)
			}
		}
	}
	t.Log(tried, "programs,", steps, "steps")
	if tried < programs/8 {
		t.Error("the test is too weak")
	}
}
