package absint

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/ir/irtest"
)

// checker follows a concrete run and compares it with the facts: every value
// computed must be in the abstract one, of its function and of its context, at
// every entry of a block and at every return; no block that was entered may be
// unreachable, no check that was violated may be proved; cells of globals must
// hold what the invariants say.
type checker struct {
	f     *Facts
	index map[*ir.Func]int
	asked map[ir.CheckKind]bool
	stack []activation
	bad   string

	values, cells, pointers int
}

type activation struct {
	c       *Context // nil if it cannot be told
	f       *ir.Func
	block   ir.BlockID
	objects map[uint64]bool
}

func newChecker(f *Facts) *checker {
	c := &checker{f: f, index: map[*ir.Func]int{}, asked: map[ir.CheckKind]bool{}}
	for i, g := range f.Module.Funcs {
		c.index[g] = i
	}
	for _, k := range f.Asked {
		c.asked[k] = true
	}
	return c
}

func (c *checker) fail(e interp.Event, format string, args ...any) {
	if c.bad == "" {
		c.bad = fmt.Sprintf("@%s, step %d: ", e.Func.Name, e.Step) + fmt.Sprintf(format, args...)
	}
}

// context finds the context of a call.
func (c *checker) context(f *ir.Func, site ir.Value) *Context {
	if len(c.stack) == 0 {
		return c.f.Root
	}
	for i := len(c.stack) - 1; i >= 0; i-- { // recursion goes back
		if c.stack[i].f == f {
			return c.stack[i].c
		}
	}
	if p := c.stack[len(c.stack)-1].c; p != nil {
		for _, k := range p.Calls {
			if k.Site == site && k.Func == f {
				return k
			}
		}
	}
	for _, k := range c.f.Contexts {
		if k.Parent == nil && k != c.f.Root && k.Func == f {
			return k
		}
	}
	return nil
}

func (c *checker) contains(e interp.Event, f Fact, v ir.Value) bool {
	c.values++
	x := e.State.Value(v)
	switch f.v.Kind {
	case ir.Int:
		return f.v.Int.Contains(x)
	case ir.Float:
		return f.v.Float.Has(x.Uint64())
	case ir.Ptr:
		if f.v.Targets == anything {
			return true
		}
		c.pointers++
		o, offset := e.State.Pointer(v)
		return c.points(f, o, offset, x)
	}
	return false
}

func (c *checker) points(f Fact, o interp.Object, offset uint64, address bv.BV) bool {
	list, _ := f.Targets()
	for _, t := range list {
		switch {
		case t.Null && o.ID == 0 && address.IsZero(), t.Bare && o.ID == 0:
			return true
		case o.ID == 0:
		case t.Global != nil && t.Global == o.Global, t.Func != nil && t.Func == o.Func,
			t.Context != nil && t.Context.Func == o.Maker && t.Site == o.Site:
			if f.v.Int.Has(offset) {
				return true
			}
		}
	}
	return false
}

func (c *checker) observe(e interp.Event) {
	if c.bad != "" || e.Func == nil {
		return
	}
	switch e.Kind {
	case interp.Enter:
		a := activation{f: e.Func}
		a.c = c.context(e.Func, e.State.CallSite())
		if a.c == nil {
			c.fail(e, "entered, but it has no context for site %%%d", e.State.CallSite())
			return
		}
		c.stack = append(c.stack, a)
	case interp.Leave:
		c.left(e)
		c.stack = c.stack[:len(c.stack)-1]
	case interp.BlockEntered:
		c.left(e)
		c.entered(e)
	case interp.Violation:
		if e.Value != 0 {
			if !c.f.MayViolate(c.index[e.Func], e.Value, e.Check) {
				c.fail(e, "%v at %%%d (%s) is violated but proved", e.Check, e.Value, e.Func.Def(e.Value).Op)
			}
			if e.Func.Def(e.Value).Op == ir.Malloc { // reported at the end, for the place where the block was made
				if !c.f.MayLeak() {
					c.fail(e, "a leak of what %%%d makes", e.Value)
				}
				return
			}
			if a := c.stack[len(c.stack)-1]; !a.c.MayViolate(e.Value, e.Check) {
				c.fail(e, "%v at %%%d is violated but proved in its context", e.Check, e.Value)
			}
		}
	}
}

// left looks at what the block of the current activation has computed.
func (c *checker) left(e interp.Event) {
	a := &c.stack[len(c.stack)-1]
	if a.block == 0 {
		return
	}
	for _, v := range e.Func.Blocks[a.block].Instrs {
		d := e.Func.Def(v)
		if d.Type.Kind == ir.Void || d.Op == ir.Phi {
			continue
		}
		if f := c.f.Value(c.index[e.Func], v); !c.contains(e, f, v) {
			c.fail(e, "%%%d (%s) is %v, not in %v", v, d.Op, e.State.Value(v), f)
		}
		if f := a.c.Value(v); !c.contains(e, f, v) {
			c.fail(e, "in its context %%%d (%s) is %v, not in %v", v, d.Op, e.State.Value(v), f)
		}
	}
}

func (c *checker) entered(e interp.Event) {
	a := &c.stack[len(c.stack)-1]
	a.block = e.Block
	if !c.f.Reached(c.index[e.Func], e.Block) || !a.c.Reached(e.Block) {
		c.fail(e, "block %d is entered but unreachable", e.Block)
		return
	}
	inv, _ := a.c.At(e.Block)
	for _, x := range inv.Values {
		if !c.contains(e, x.Fact, x.Value) {
			c.fail(e, "at block %d, %%%d is %v, not in %v", e.Block, x.Value, e.State.Value(x.Value), x.Fact)
		}
	}
	for _, v := range e.Func.Blocks[e.Block].Instrs {
		if e.Func.Def(v).Op != ir.Phi {
			break
		}
		if f := a.c.Value(v); !c.contains(e, f, v) {
			c.fail(e, "phi %%%d is %v, not in %v", v, e.State.Value(v), f)
		}
	}
	for _, x := range inv.Cells {
		if x.Object.Global == nil || x.Fact.Type().Kind == ir.Ptr {
			continue
		}
		b, ok := e.State.Memory(e.State.Symbol(x.Object.Global.Name)+x.Offset, x.Size)
		if !ok {
			continue
		}
		c.cells++
		v := bv.FromBytes(b)
		if x.Fact.v.Kind == ir.Int && !x.Fact.Int().Contains(v) || x.Fact.v.Kind == ir.Float && !x.Fact.Float().Has(v.Uint64()) {
			c.fail(e, "at block %d, %s+%d holds %v, not in %v", e.Block, x.Object.Global.Name, x.Offset, v, x.Fact)
		}
	}
}

// compare runs the module and compares the run with its facts.
func compare(t testing.TB, f *Facts, seed uint64, steps int64) *checker {
	t.Helper()
	c := newChecker(f)
	opts := interp.Options{Oracle: interp.Random(seed), MaxSteps: steps, MaxFrames: 200, MaxMemory: 1 << 20, Observe: c.observe, Blocks: true}
	opts.StopAt = func(e interp.Event) bool {
		return c.bad != "" || e.Kind == interp.Violation && c.asked[e.Check]
	}
	if _, err := interp.Run(context.Background(), f.Module, opts); err != nil {
		t.Fatal(err)
	}
	return c
}

// askedSets are what properties ask for.
var askedSets = [][]ir.CheckKind{
	nil,
	{ir.Overflow},
	{ir.InvalidDeref, ir.InvalidFree, ir.MemTrack},
	{ir.Assertion, ir.Overflow, ir.ShiftRange, ir.DivByZero, ir.InvalidDeref, ir.InvalidFree, ir.Incompatible},
}

func analyzed(t testing.TB, m *ir.Module, o Options) *Facts {
	t.Helper()
	f, err := Analyze(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// modulesToTry is the number of modules to try, from the environment or as given.
func modulesToTry(variable string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return usual
}

// TestRandomModules compares runs of random modules with their facts.
func TestRandomModules(t *testing.T) {
	modules := modulesToTry("ASSAY_LADDER_RANDOM", 300)
	var values, pointers, cells, informative, proved, violated, runs int
	for seed := range modules {
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		o := irtest.Options{PointerBits: 64, Acyclic: seed%5 == 4}
		if seed%4 == 3 {
			o.PointerBits = 32
		}
		if seed%3 == 1 {
			o.Instrs, o.Blocks = 16, 5
		}
		m := irtest.Random(rng, o)
		opts := Options{Asked: askedSets[seed%len(askedSets)]}
		switch seed % 10 {
		case 7:
			opts.MaxContexts = 3
		case 8:
			opts.MaxContexts = 1
		}
		f := analyzed(t, m, opts)
		if f.Incomplete != "" {
			t.Logf("seed %d: %s", seed, f.Incomplete)
			continue
		}
		for i, fn := range m.Funcs {
			for v := 1; v < len(fn.Values); v++ {
				if !fn.IsDecl() && f.Executed(i, ir.Value(v)) && !f.Value(i, ir.Value(v)).IsTop() {
					informative++
				}
				if fn.Def(ir.Value(v)).Op == ir.Check && f.Executed(i, ir.Value(v)) {
					if f.MayViolate(i, ir.Value(v), ir.CheckKind(fn.Def(ir.Value(v)).Aux)) {
						violated++
					} else {
						proved++
					}
				}
			}
		}
		for run := range 6 {
			c := compare(t, f, uint64(run), 2000)
			runs++
			values, pointers, cells = values+c.values, pointers+c.pointers, cells+c.cells
			if c.bad != "" {
				t.Fatalf("module %d (asked %v), run %d: %s\n%s", seed, opts.Asked, run, c.bad, ir.Print(m))
			}
		}
	}
	t.Logf("%d runs: %d values, %d pointers, %d cells compared; %d values with facts; %d checks proved, %d not", runs, values, pointers, cells, informative, proved, violated)
}
