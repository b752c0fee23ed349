package lasso

import (
	"math/rand/v2"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file chooses inputs. Runs of a round get, one after the other,
//
//	0-2    for all decisions 0, 1, -1
//	3-4    0 and 1, or 1 and -1, in turns
//	3 mod 4  a value of the palette each time
//	5 mod 8  one of two values of the palette for each instruction, which are next in turn: where
//	         a loop goes on because numbers are at the limits of their type, all of them are
//	others   a value of the palette for each instruction, always the same: an input
//	         that a loop reads must often be the same in all rounds
//
// The palette of a width has the constants of the program and their neighbours, small
// numbers, powers of two and limits. A pointer that was never written is a number like
// any other, and may be the address of a global: what is written through it then is
// content of that.

const runsPerRound = 256

// palette are the values to choose from, by width.
type palette struct {
	constants map[uint32][]uint64 // of the program
	byWidth   map[uint32][]uint64
	word      uint32   // the width of a pointer
	places    []uint64 // addresses of globals that may be written
}

func newPalette(m *ir.Module) *palette {
	p := &palette{constants: map[uint32][]uint64{}, byWidth: map[uint32][]uint64{}, word: m.PointerBits}
	for _, f := range m.Funcs {
		if f.Model {
			continue
		}
		for v := 1; v < len(f.Values); v++ {
			d := f.Def(ir.Value(v))
			if d.Op == ir.Const && d.Type.Kind == ir.Int && d.Type.Bits > 1 && d.Type.Bits <= 64 {
				p.constants[d.Type.Bits] = append(p.constants[d.Type.Bits], d.Const.Uint64())
			}
			for _, c := range d.Cases {
				if c.Width() <= 64 {
					p.constants[c.Width()] = append(p.constants[c.Width()], c.Uint64())
				}
			}
		}
	}
	return p
}

// maxConstants bounds the constants of the program in a palette.
const maxConstants = 64

// first is how many values come first in a palette: 0, 1, -1, and the limits.
const first = 5

// of is the palette of a width of at most 64.
func (p *palette) of(bits uint32) []uint64 {
	if l := p.byWidth[bits]; l != nil {
		return l
	}
	mask := ^uint64(0) >> (64 - bits)
	l := []uint64{0, 1, mask, 1 << (bits - 1), mask >> 1, 2, mask - 1, 3, 4, 5, 10, 1<<(bits-1) | 1, 1 << (bits / 2), 1 << (bits * 3 / 4)}
	if bits > 2 {
		l = append(l, 1<<(bits-2))
	}
	n := 0
	for _, w := range []uint32{bits, 32, 64, 16, 8} { // narrow constants are compared with wider inputs
		for _, c := range p.constants[w] {
			if n++; n <= maxConstants {
				c = uint64(int64(c<<(64-w)) >> (64 - w))
				l = append(l, c&mask, (c+1)&mask, (c-1)&mask, -c&mask)
			}
		}
	}
	for i := range l {
		l[i] &= mask
	}
	slices.Sort(l[first:])
	l = append(l[:first:first], slices.Compact(l[first:])...)
	p.byWidth[bits] = l
	return l
}

// policy is an oracle.
type policy struct {
	p     *palette
	rng   *rand.Rand
	fixed int // 0, 1, 2 for 0, 1, -1; -1 otherwise
	turns int // how many values follow in turns, from the fixed one on
	asked int
	each  bool  // a value for each instruction
	few   []int // if not nil, the places in the palette, modulo its size, of the values to choose from
	sites map[site]bv.BV
}

type site struct {
	f *ir.Func
	v ir.Value
}

func newPolicy(p *palette, round, i int) *policy {
	o := &policy{p: p, fixed: -1}
	if i < 5 {
		o.fixed, o.turns = i%3, 1+i/3
		return o
	}
	o.rng = rand.New(rand.NewPCG(uint64(round), uint64(i)))
	o.each = i%4 != 3
	if i%8 == 5 { // each value first for all, then with another one; those that are fixed had their turn
		n := 3 + round*runsPerRound/8 + i/8
		o.few = []int{n, n}
		if round > 0 {
			o.few[1] = o.rng.IntN(1 << 16)
		}
	}
	o.sites = map[site]bv.BV{}
	return o
}

// Global implements interp.Oracle.
func (o *policy) Global(_ string, size uint64) ir.GlobalChoice {
	return ir.GlobalChoice{Bytes: o.bytes(size)}
}

// Next implements interp.Oracle.
func (o *policy) Next(r interp.Request) (ir.Choice, error) {
	c := ir.Choice{Func: r.Func.Name, Value: r.Value, Base: r.Base}
	switch d := r.Func.Def(r.Value); {
	case r.Kind != interp.WantValue:
		c.Bytes = o.bytes(r.Size)
		if o.rng != nil && (d.Layout.Pointers || d.Op == ir.Malloc) && o.rng.IntN(4) == 0 {
			c.Bytes = o.pointers(r.Size)
		}
	case r.Type.Kind == ir.Ptr && d.Op == ir.Nondet && ir.NondetKind(d.Aux) != ir.NondetUnknown:
		k := site{r.Func, r.Value}
		x, ok := o.sites[k]
		if !ok || !o.each {
			x = bv.New(r.Type.Bits, o.place())
			if o.each {
				o.sites[k] = x
			}
		}
		c.Bits = x
	case r.Type.Kind == ir.Ptr, d.Op != ir.Nondet && d.Op != ir.Call && d.Op != ir.Extract: // what undefined behaviour yields
		c.Bits = bv.New(r.Type.Bits, 0)
	case o.each:
		k := site{r.Func, r.Value}
		x, ok := o.sites[k]
		if !ok {
			x = o.value(r.Type.Bits)
			o.sites[k] = x
		}
		c.Bits = x
	default:
		c.Bits = o.value(r.Type.Bits)
	}
	return c, nil
}

func (o *policy) value(bits uint32) bv.BV {
	if bits > 64 {
		return o.value(64).SExt(bits)
	}
	l := o.p.of(bits)
	if o.fixed >= 0 {
		o.asked++
		return bv.New(bits, l[o.fixed+o.asked%o.turns])
	}
	if o.few != nil {
		return bv.New(bits, l[o.few[o.rng.IntN(2)]%len(l)])
	}
	switch o.rng.IntN(8) {
	case 0:
		if bits == o.p.word && len(o.p.places) > 0 && o.rng.IntN(2) == 0 {
			return bv.New(bits, o.place())
		}
		return bv.New(bits, o.rng.Uint64())
	case 1:
		return bv.NewSigned(bits, o.rng.Int64N(33)-16)
	case 2:
		return bv.New(bits, o.rng.Uint64N(1024))
	}
	return bv.New(bits, l[o.rng.IntN(len(l))])
}

// place is the address of a global, or null.
func (o *policy) place() uint64 {
	if o.rng == nil || len(o.p.places) == 0 || o.rng.IntN(4) == 0 {
		return 0
	}
	return o.p.places[o.rng.IntN(len(o.p.places))]
}

// pointers chooses a content: addresses of globals.
func (o *policy) pointers(size uint64) []byte {
	var b []byte
	for word := uint64(o.p.word / 8); uint64(len(b))+word <= min(size, maxContent); {
		b = append(b, bv.New(o.p.word, o.place()).Bytes()...)
	}
	return b
}

// maxContent bounds the bytes of a content that are chosen; the rest is zero.
const maxContent = 1 << 10

// bytes chooses a content: integers of 4 bytes.
func (o *policy) bytes(size uint64) []byte {
	if o.fixed == 0 || size == 0 || o.rng != nil && o.rng.IntN(3) == 0 {
		return nil
	}
	b := make([]byte, min(size, maxContent))
	for i := 0; i < len(b); i += 4 {
		copy(b[i:], o.value(32).Bytes())
	}
	return b
}
