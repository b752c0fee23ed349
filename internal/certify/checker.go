package certify

import (
	"context"
	"fmt"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// checker is the state of one check.
type checker struct {
	ctx    context.Context
	m      *ir.Module
	o      Options
	bounds []verdict.Bound

	st *term.Store
	sp *memory.Space

	target   map[ir.CheckKind]bool
	excluded map[Place]bool
	byName   map[string]*ir.Func

	functions map[*ir.Func]*function
	top       *frame
	slab      []value

	instances uint32 // executions of instructions that make something
	stacked   uint64 // stack objects made
	blocks    int64

	claims []claim

	// induction is set if loops are cut, sites are where objects are made; see
	// induction.go.
	induction *induction
	sites     []site
	indexed   indexed
	prefixes  []prefix // see elements.go

	// See solve.go.
	facts  []term.ID
	guide  smt.Solver // of feasible; nil until asked
	told   int        // facts that guide has
	solver smt.Solver // that answered last; nil until asked
	answered
}

// answered says how the last question was answered.
type answered struct {
	// circuits says that the solver was asked about circuits instead of floating-point
	// operations.
	circuits bool
	// proof says that the last question went to CaDiCaL, whose proof is checked.
	proof bool
	// integers says that it was answered over the integers.
	integers bool
	// lemmas says that interval lemmas were enough.
	lemmas bool
	// asFunctions says that it was enough that products and quotients are functions.
	asFunctions bool
	// calculated says that products could be variables, with polynomials; see algebra.go.
	calculated bool
	// ranges says that claims were decided by intervals; see package ranges.
	ranges bool
	// inParts says that claims were decided in pieces; see pieces.go.
	inParts bool
}

func newChecker(ctx context.Context, m *ir.Module, o Options, bounds []verdict.Bound) *checker {
	st := term.NewStore()
	if o.Strict {
		st = term.NewPlainStore()
	}
	c := &checker{
		ctx: ctx, m: m, o: o, bounds: bounds, st: st, sp: memory.NewSpace(st, m.PointerBits),
		target: map[ir.CheckKind]bool{}, excluded: map[Place]bool{}, byName: map[string]*ir.Func{},
		functions: map[*ir.Func]*function{},
	}
	c.sp.Numbers(m)
	if c.o.Label == "" {
		c.o.Label = "ERROR"
	}
	for _, k := range o.Targets {
		c.target[k] = true
	}
	for _, p := range o.Excluded {
		c.excluded[p] = true
	}
	return c
}

func (c *checker) close() {
	for _, s := range []smt.Solver{c.guide, c.solver} {
		if s != nil {
			s.Close()
		}
	}
}

// unwind lays out and encodes the program.
func (c *checker) unwind(entry *ir.Func) error {
	initial := c.initial()
	c.enter(c.function(entry), nil, edge{guard: c.st.True(), mem: initial}, nil)
	return c.run()
}

// initial makes the objects that there are from the start, and is the state then.
func (c *checker) initial() *memory.State {
	initial := memory.NewState(c.sp)
	for _, f := range c.m.Funcs {
		c.byName[f.Name] = f
		c.sp.AddFunction(f)
	}
	for _, g := range c.m.Globals {
		o := c.sp.AddGlobal(g)
		content := memory.Generation(0)
		any := g.External || c.inBody() && !g.Constant
		if any {
			content = c.sp.Generation(c.key(0), g.Size)
		}
		initial.CreateGlobal(o, any, content)
	}
	return initial
}

// key names one execution of an instruction; every call names another.
func (c *checker) key(v ir.Value) memory.Key {
	c.instances++
	return memory.Key{Instance: c.instances, Value: v}
}

// word is a pointer-wide constant.
func (c *checker) word(n uint64) term.ID { return c.st.ConstU(c.m.PointerBits, n) }

// arbitrary is any value of a type.
func (c *checker) arbitrary(t ir.Type) value {
	x := c.st.Fresh("any", term.BitVec(t.Bits))
	if t.Kind == ir.Ptr {
		return value{Value: c.sp.IntToPtr(x)}
	}
	return bitsValue(x)
}

// Limits of what is laid out, beyond which the check is given up.
const (
	maxTerms     = 1 << 26
	pollInterval = 1 << 8 // blocks
)

// poll is called once for each instance; it returns an error if the check must stop.
func (c *checker) poll() error {
	c.blocks++
	if c.blocks%pollInterval != 0 {
		return nil
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.st.Len() > maxTerms {
		return ErrIncomplete{Why: fmt.Sprintf("the unwound program needs more than %d terms", maxTerms)}
	}
	return nil
}
