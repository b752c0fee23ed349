package frontend

import (
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/program/cprover"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports objects with static storage duration. An initialiser is
// flattened to bytes; pointers in it become relocations.

func (im *importer) global(g *llvm.Global) {
	n := &ir.Global{
		Name:     im.symbol(g),
		CName:    g.CName,
		CType:    im.namedType(g),
		Size:     g.Type.Size,
		Align:    max(g.Align, g.Type.Align, 1),
		Constant: g.Constant,
		External: g.Init == nil || im.opts.HavocUninitialised && g.Common,
		Pos:      pos(g.Pos),
		Layout:   layoutOf(g.Type, uint64(im.p.PointerBits/8)),
	}
	im.m.Globals = append(im.m.Globals, n)
	if n.External {
		if !g.Type.Sized {
			im.notes.add(Note{Text: "the size of the external object " + n.Name + " is not known; no access to it counts as valid", Pos: n.Pos})
		}
		return
	}
	im.initialise(n, g)
	havoc := im.opts.HavocGlobals && g.CName != "" || im.opts.Obligation // the state of library models, too
	if havoc && !g.Constant && !strings.HasPrefix(g.CName, cprover.Ghost) {
		n.Init, n.Relocs, n.External = nil, nil, true
	}
}

// namedType is the type in C of an object that has a name there.
func (im *importer) namedType(g *llvm.Global) ir.CType {
	if g.CName == "" || g.CType == nil {
		return ir.CType{}
	}
	return im.cType(g.CType)
}

// maxInitialiser bounds the size of initialisers that are not all zero.
const maxInitialiser = 1 << 30

func (im *importer) initialise(n *ir.Global, g *llvm.Global) {
	if c, ok := g.Init.(*llvm.Const); ok && (c.Kind == llvm.ZeroConst || c.Kind == llvm.UndefConst || c.Kind == llvm.PoisonConst) {
		return
	}
	if n.Size > maxInitialiser {
		im.obstacle("the initialiser of "+n.Name, ", which has more than a gigabyte")
		return
	}
	w := &initWriter{im: im, g: n, init: make([]byte, n.Size)}
	w.write(g.Init, 0)
	for _, b := range w.init {
		if b != 0 {
			n.Init = w.init
			break
		}
	}
}

// initWriter fills in an initialiser, in ascending order of offsets.
type initWriter struct {
	im   *importer
	g    *ir.Global
	init []byte
}

func (w *initWriter) write(v llvm.Value, offset uint64) {
	t := v.ValueType()
	if c, ok := v.(*llvm.Const); ok {
		switch c.Kind {
		case llvm.ZeroConst, llvm.UndefConst, llvm.PoisonConst:
			return // what is not initialised is zero in a loaded program
		case llvm.BytesConst:
			copy(w.init[offset:], c.Bytes)
			return
		case llvm.IntConst, llvm.FloatConst:
			w.bits(c.Bits, offset)
			return
		case llvm.AggregateConst:
			for i, e := range c.Elems {
				switch t.Kind {
				case llvm.StructType:
					w.write(e, offset+t.Offsets[i])
				case llvm.ArrayType:
					w.write(e, offset+uint64(i)*t.Elem.Size)
				default: // vector
					w.write(e, offset+uint64(i)*t.Elem.StoreSize)
				}
			}
			return
		}
	}
	a, ok := w.im.address(v)
	switch {
	case !ok:
		w.im.obstacle("the initialiser of "+w.g.Name, "")
	case a.symbol == "" && t.Kind == llvm.IntType:
		w.bits(bv.NewSigned(t.Bits, a.addend), offset)
	case a.symbol == "":
		w.bits(bv.New(w.im.p.PointerBits, uint64(a.addend)), offset)
	case t.Kind == llvm.PointerType && w.im.pointsElsewhere(a):
		w.im.obstacle("the initialiser of "+w.g.Name, ", which makes a pointer of a number")
	case t.Kind == llvm.PointerType || t.Bits == w.im.p.PointerBits:
		w.g.Relocs = append(w.g.Relocs, ir.Reloc{Offset: offset, Target: a.symbol, Addend: a.addend})
	default:
		w.im.obstacle("the initialiser of "+w.g.Name, ", which holds a part of an address")
	}
}

func (im *importer) obstacle(what, why string) {
	im.obstacles = append(im.obstacles, what+why)
}

// bits stores a number, the least significant byte first.
func (w *initWriter) bits(b bv.BV, offset uint64) {
	for i := uint32(0); i < b.Width(); i += 8 {
		w.init[offset+uint64(i/8)] = byte(b.Extract(min(i+7, b.Width()-1), i).Uint64())
	}
}

// address is a constant that is known up to the place of an object: symbol +
// addend, or a number if the symbol is empty.
type address struct {
	symbol string
	addend int64
	// number says that it was an integer on its way: then it is a pointer to the
	// object of the symbol only within that (a global lives for ever).
	number bool
}

// pointsElsewhere says that an address, as a pointer, need not point to the object
// of its symbol.
func (im *importer) pointsElsewhere(a address) bool {
	if !a.number || a.symbol == "" {
		return false
	}
	size := int64(1) // functions
	for _, g := range im.p.Globals {
		if !im.isFunction[a.symbol] && im.symbol(g) == a.symbol {
			size = max(1, int64(g.Type.Size))
		}
	}
	return a.addend < 0 || a.addend >= size
}

// address evaluates a constant of pointer or integer type (of up to 64 bits).
func (im *importer) address(v llvm.Value) (address, bool) {
	switch v := v.(type) {
	case *llvm.Global:
		return address{symbol: im.symbol(v)}, v.Name != llvm.NondetObject && !v.Weak
	case *llvm.Function:
		return address{symbol: im.functionSymbol(v)}, !v.Weak
	case *llvm.Const:
		switch {
		case v.Kind == llvm.ZeroConst:
			return address{}, v.Type.Kind == llvm.PointerType
		case v.Kind == llvm.IntConst && v.Type.Bits <= 64:
			return address{addend: v.Bits.Int64()}, true
		}
	case *llvm.Expr:
		return im.addressExpr(v)
	}
	return address{}, false
}

func (im *importer) addressExpr(e *llvm.Expr) (address, bool) {
	switch e.Op {
	case llvm.BlockAddress:
		return address{addend: int64(im.labels[e.Args[0].(*llvm.Block)])}, true
	case llvm.BitCast, llvm.AddrSpaceCast:
		if e.Type.Kind != llvm.PointerType && e.Type.Kind != llvm.IntType {
			return address{}, false
		}
		return im.address(e.Args[0])
	case llvm.IntToPtr, llvm.PtrToInt, llvm.Trunc:
		a, ok := im.address(e.Args[0])
		if ok && a.symbol == "" {
			a.addend = truncateTo(a.addend, im.bitsOf(e.Type), e.Op == llvm.IntToPtr || e.Op == llvm.PtrToInt)
			return a, true
		}
		a.number = e.Op == llvm.IntToPtr
		// An address may change its type, not lose bits.
		return a, ok && im.bitsOf(e.Type) == im.p.PointerBits
	case llvm.GetElementPtr:
		a, ok := im.address(e.Args[0])
		offset, constant := constantOffset(e.Elem, e.Args[1:])
		a.addend += offset
		return a, ok && constant
	case llvm.Add, llvm.Sub:
		a, ok1 := im.address(e.Args[0])
		b, ok2 := im.address(e.Args[1])
		if !ok1 || !ok2 {
			return address{}, false
		}
		if e.Op == llvm.Sub {
			if b.symbol == a.symbol {
				return address{addend: truncateTo(a.addend-b.addend, e.Type.Bits, false)}, true
			}
			return address{symbol: a.symbol, addend: a.addend - b.addend}, b.symbol == ""
		}
		if a.symbol == "" {
			a, b = b, a
		}
		return address{symbol: a.symbol, addend: a.addend + b.addend}, b.symbol == ""
	}
	return address{}, false
}

// truncateTo reduces a number to the given width.
func truncateTo(n int64, bits uint32, unsigned bool) int64 {
	if bits >= 64 {
		return n
	}
	b := bv.New(bits, uint64(n))
	if unsigned {
		return int64(b.Uint64())
	}
	return b.Int64()
}

// bitsOf is the width of an integer or pointer type.
func (im *importer) bitsOf(t *llvm.Type) uint32 {
	if t.Kind == llvm.IntType {
		return t.Bits
	}
	return im.p.PointerBits
}

// constantOffset is what the indices of a getelementptr add, if they are constant.
func constantOffset(t *llvm.Type, indices []llvm.Value) (offset int64, ok bool) {
	for i, index := range indices {
		n := int64(0)
		switch c, isConst := index.(*llvm.Const); {
		case isConst && c.Kind == llvm.IntConst:
			n = c.Bits.Int64()
		case isConst && c.Kind == llvm.ZeroConst:
		default:
			return 0, false
		}
		if i > 0 {
			if t.Kind == llvm.StructType {
				offset += int64(t.Offsets[n])
				t = t.Fields[n]
				continue
			}
			t = t.Elem
		}
		offset += n * int64(t.Size)
	}
	return offset, true
}
