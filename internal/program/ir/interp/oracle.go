package interp

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// Oracle makes the nondeterministic decisions of a run.
type Oracle interface {
	// Global is the chosen part of the initial state of a global or function. The
	// size is that of the content asked for: 0 unless the global is External.
	Global(name string, size uint64) ir.GlobalChoice
	// Next makes the next decision. It returns ErrOutOfChoices or a *DesyncError
	// if it has none that fits.
	Next(Request) (ir.Choice, error)
}

// Reserver is an Oracle that knows beforehand which addresses it will
// prescribe; other objects stay away from them.
type Reserver interface {
	Reserved() []uint64
}

// Jumper is an Oracle that wants iterations of loops made at once, in this order.
type Jumper interface {
	Jumps() []ir.Jump
}

// RequestKind says what is to be decided.
type RequestKind uint8

// The kinds of decisions.
const (
	WantValue   RequestKind = iota // Choice.Bits, of the width of Type
	WantContent                    // Choice.Bytes, of a range of Size bytes
	WantObject                     // Choice.Bytes and Choice.Base of a new object of Size bytes
)

// Request is a question to the oracle.
type Request struct {
	Func  *ir.Func
	Value ir.Value // the instruction that decides
	Kind  RequestKind
	Type  ir.Type // WantValue
	Size  uint64  // WantContent and WantObject
	// Base is the address that an object gets if the answer does not choose one; 0
	// if that is not known, as it is only with Options.Repeats.
	Base uint64
}

// ErrOutOfChoices says that a run made more decisions than its input has.
var ErrOutOfChoices = errors.New("the input has no more choices")

// DesyncError says that an input does not belong to the run.
type DesyncError struct {
	Index int // of the choice; -1 for the initial state
	Want  Request
	Got   ir.Choice
	Msg   string
}

// Error says which choice does not fit, and why.
func (e *DesyncError) Error() string {
	where := "initial state"
	if e.Index >= 0 {
		where = fmt.Sprintf("choice %d", e.Index)
	}
	if e.Want.Func != nil {
		where += fmt.Sprintf(", for %%%d of @%s", e.Want.Value, e.Want.Func.Name)
	}
	return where + ": " + e.Msg
}

// Zero decides everything by zeros.
type Zero struct{}

// Global implements Oracle.
func (Zero) Global(string, uint64) ir.GlobalChoice { return ir.GlobalChoice{} }

// Next implements Oracle.
func (Zero) Next(r Request) (ir.Choice, error) {
	c := ir.Choice{Func: r.Func.Name, Value: r.Value}
	if r.Kind == WantValue {
		c.Bits = bv.New(r.Type.Bits, 0)
	}
	return c, nil
}

// replay is the oracle of Replay.
type replay struct {
	in   ir.Input
	next int
}

// Replay makes the decisions of an input, in their order, and checks that the
// instructions that ask are those that the input names.
func Replay(in ir.Input) Oracle { return &replay{in: in} }

// Global implements Oracle.
func (o *replay) Global(name string, _ uint64) ir.GlobalChoice { return o.in.Globals[name] }

// Next implements Oracle.
func (o *replay) Next(r Request) (ir.Choice, error) {
	if o.next >= len(o.in.Choices) {
		return ir.Choice{}, ErrOutOfChoices
	}
	c := o.in.Choices[o.next]
	if c.Func != r.Func.Name || c.Value != r.Value {
		return c, &DesyncError{o.next, r, c, fmt.Sprintf("the input decides %%%d of @%s", c.Value, c.Func)}
	}
	o.next++
	return c, nil
}

// Reserved implements Reserver.
func (o *replay) Reserved() []uint64 {
	var r []uint64
	for _, g := range o.in.Globals {
		if g.Base != 0 {
			r = append(r, g.Base)
		}
	}
	for _, c := range o.in.Choices {
		if c.Base != 0 {
			r = append(r, c.Base)
		}
	}
	return r
}

// Jumps implements Jumper.
func (o *replay) Jumps() []ir.Jump { return o.in.Jumps }

// Recorder passes decisions on from another oracle and writes them down.
type Recorder struct {
	oracle  Oracle
	globals map[string]ir.GlobalChoice
	choices []ir.Choice
}

// NewRecorder records the decisions of o.
func NewRecorder(o Oracle) *Recorder {
	return &Recorder{oracle: o, globals: map[string]ir.GlobalChoice{}}
}

// Global implements Oracle.
func (r *Recorder) Global(name string, size uint64) ir.GlobalChoice {
	g := r.oracle.Global(name, size)
	if g.Bytes != nil || g.Base != 0 {
		r.globals[name] = g
	}
	return g
}

// Next implements Oracle.
func (r *Recorder) Next(q Request) (ir.Choice, error) {
	c, err := r.oracle.Next(q)
	if err == nil {
		r.choices = append(r.choices, c)
	}
	return c, err
}

// Reserved implements Reserver.
func (r *Recorder) Reserved() []uint64 {
	if o, ok := r.oracle.(Reserver); ok {
		return o.Reserved()
	}
	return nil
}

// Input is what has been recorded: replaying it repeats the run.
func (r *Recorder) Input() ir.Input {
	return ir.Input{Globals: maps.Clone(r.globals), Choices: slices.Clone(r.choices)}
}

// maxRandomContent bounds the random bytes of one object; the rest is zero.
const maxRandomContent = 1 << 12

// random is the oracle of Random.
type random struct{ rng *rand.Rand }

// Random decides at random, in a way that only the seed determines. Small
// numbers, limits of types and null pointers come up more often than others.
func Random(seed uint64) Oracle { return random{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))} }

// Global implements Oracle.
func (o random) Global(_ string, size uint64) ir.GlobalChoice {
	return ir.GlobalChoice{Bytes: o.bytes(size)}
}

// Next implements Oracle.
func (o random) Next(r Request) (ir.Choice, error) {
	c := ir.Choice{Func: r.Func.Name, Value: r.Value}
	switch {
	case r.Kind != WantValue:
		c.Bytes = o.bytes(r.Size)
	case r.Type.Kind == ir.Ptr && o.rng.IntN(4) != 0:
		c.Bits = bv.New(r.Type.Bits, 0)
	default:
		c.Bits = o.bits(r.Type.Bits)
	}
	return c, nil
}

func (o random) bits(w uint32) bv.BV {
	switch o.rng.IntN(8) {
	case 0, 1, 2:
		return bv.NewSigned(w, o.rng.Int64N(33)-16)
	case 3: // about a power of two
		one := bv.New(w, 1)
		return one.Shl(bv.New(w, o.rng.Uint64N(uint64(w)))).Add(bv.NewSigned(w, o.rng.Int64N(3)-1))
	case 4:
		return bv.New(w, o.rng.Uint64N(1024))
	}
	v := bv.New(w, o.rng.Uint64())
	for i := uint32(64); i < w; i += 64 {
		v = v.Shl(bv.New(w, 64)).Or(bv.New(w, o.rng.Uint64()))
	}
	return v
}

// bytes is nothing (that is, zeros), small numbers, or anything.
func (o random) bytes(size uint64) []byte {
	mode := o.rng.IntN(4)
	if mode == 0 || size == 0 {
		return nil
	}
	b := make([]byte, min(size, maxRandomContent))
	for i := range b {
		if mode > 1 {
			b[i] = byte(o.rng.Uint32())
		} else if i%4 == 0 {
			b[i] = byte(o.rng.Uint32N(16))
		}
	}
	return b
}
