package trial

import (
	"math/rand/v2"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file chooses inputs. Each place that asks for one gets a habit when it
// first asks, and keeps it for the run: a loop that goes on as long as its input
// is not zero needs the same answer a million times.

// habit is how a place answers.
type habit uint8

const (
	constant habit = iota // always the same value
	turning               // one value for a while, then another
	pooled                // values from the pool
	small                 // small numbers
	anything
	habits
)

// source is a place that asks.
type source struct {
	habit         habit
	first, second bv.BV
	left          int64 // answers until it turns
}

// oracle makes the choices of a run.
type oracle struct {
	rng     *rand.Rand
	seed    uint64
	pool    pool
	memory  bool // the property is about memory
	content interp.Oracle
	sources map[*ir.Func]map[ir.Value]*source
	made    int
	chose   bool
}

func newOracle(seed uint64, p pool, memory bool) *oracle {
	content := interp.Oracle(interp.Zero{})
	if seed%4 == 3 {
		content = interp.Random(seed)
	}
	return &oracle{rng: rand.New(rand.NewPCG(seed, 7)), seed: seed, pool: p, memory: memory, content: content, sources: map[*ir.Func]map[ir.Value]*source{}}
}

// Global implements interp.Oracle.
func (o *oracle) Global(name string, size uint64) ir.GlobalChoice {
	return o.content.Global(name, size)
}

// Next implements interp.Oracle.
func (o *oracle) Next(r interp.Request) (ir.Choice, error) {
	if o.made++; o.made > maxChoices {
		return ir.Choice{}, interp.ErrOutOfChoices
	}
	if !ours(r, o.memory) {
		return ir.Choice{}, errGivenUp
	}
	if d := r.Func.Def(r.Value); d.Op == ir.Nondet && ir.NondetKind(d.Aux) == ir.NondetExact {
		return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: bv.New(1, 1)}, nil
	}
	if r.Kind != interp.WantValue || r.Type.Kind != ir.Int {
		return o.content.Next(r)
	}
	o.chose = true
	return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: o.answer(r)}, nil
}

// ours says whether a run may make the choice (T1).
func ours(r interp.Request, memory bool) bool {
	d := r.Func.Def(r.Value)
	switch d.Op {
	case ir.Nondet:
		switch ir.NondetKind(d.Aux) {
		case ir.NondetApproximate, ir.NondetUndef:
			return false
		case ir.NondetUnknown:
			return d.Type.Kind != ir.Ptr && !memory
		}
		return true
	case ir.Havoc:
		return !d.Approximate()
	case ir.Alloca, ir.Malloc, ir.LifetimeStart:
		return true
	}
	return false
}

// answer is the value for a place.
func (o *oracle) answer(r interp.Request) bv.BV {
	w := r.Type.Bits
	switch o.seed { // the plainest runs first
	case 0:
		return bv.New(w, 0)
	case 1:
		return bv.New(w, 1)
	}
	places := o.sources[r.Func]
	if places == nil {
		places = map[ir.Value]*source{}
		o.sources[r.Func] = places
	}
	s := places[r.Value]
	if s == nil {
		s = &source{habit: habit(o.rng.IntN(int(habits))), first: o.value(w), second: o.value(w)}
		s.left = 1 << o.rng.IntN(20)
		s.left += o.rng.Int64N(s.left)
		places[r.Value] = s
	}
	switch s.habit {
	case turning:
		if s.left--; s.left < 0 {
			return s.second
		}
		return s.first
	case pooled:
		return o.pool.pick(o.rng, w)
	case small:
		return bv.NewSigned(w, o.rng.Int64N(12)-2)
	case anything:
		return o.value(w)
	}
	return s.first
}

// value is a number of w bits of any kind.
func (o *oracle) value(w uint32) bv.BV {
	switch o.rng.IntN(6) {
	case 0, 1:
		return o.pool.pick(o.rng, w)
	case 2:
		return bv.NewSigned(w, o.rng.Int64N(12)-2)
	case 3:
		return bv.New(w, o.rng.Uint64N(1<<17))
	case 4: // about a power of two
		one := bv.New(w, 1)
		return one.Shl(bv.New(w, o.rng.Uint64N(uint64(w)))).Add(bv.NewSigned(w, o.rng.Int64N(3)-1))
	}
	v := bv.New(w, o.rng.Uint64())
	for i := uint32(64); i < w; i += 64 {
		v = v.Shl(bv.New(w, 64)).Or(bv.New(w, o.rng.Uint64()))
	}
	return v
}

// pool holds the constants of the program.
type pool []int64

// maxPool bounds the constants.
const maxPool = 256

// constants collects the integers that these functions mention.
func constants(m *ir.Module, of func(f *ir.Func) bool) pool {
	var p pool
	add := func(n int64) {
		if len(p) < maxPool && !slices.Contains(p, n) {
			p = append(p, n)
		}
	}
	for _, f := range m.Funcs {
		if !of(f) {
			continue
		}
		for b := range f.Blocks {
			for _, v := range f.Blocks[b].Instrs {
				for _, c := range f.Def(v).Cases {
					if c.Width() <= 64 {
						add(c.Int64())
					}
				}
				for _, a := range f.Def(v).Args {
					d := f.Def(a)
					if d.Op != ir.Const || d.Type.Kind != ir.Int || d.Type.Bits < 2 || d.Type.Bits > 64 {
						continue
					}
					add(d.Const.Int64())
				}
			}
		}
	}
	return p
}

// pick is a constant of the program, or the number before or after it.
func (p pool) pick(rng *rand.Rand, w uint32) bv.BV {
	if len(p) == 0 {
		return bv.New(w, rng.Uint64N(4))
	}
	return bv.NewSigned(w, p[rng.IntN(len(p))]+rng.Int64N(3)-1)
}
