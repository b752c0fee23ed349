package placement

import (
	"slices"

	"assay/internal/program/ir"
)

const (
	wordBits  = 32
	wordBytes = wordBits / 8
)

// value is what a register holds: a number, an address if it is a pointer.
type value struct {
	num uint64
	// object is the provenance of a pointer, 0 for none.
	object int
	// fragment and k say of a number that it is byte k of that word.
	fragment, k int
}

// object is an object; 0 is none.
type object struct {
	base, size uint64
	heap       bool
	constant   bool
	alive      bool
	ceded      bool // others may be placed where it is (ir.Cede)
	frame      int  // for objects on the stack
	bytes      []cell
}

// cell is a byte of memory.
type cell struct {
	num byte
	// content is not 0 if the byte is byte index of that content.
	content, index int
	// fragment is not 0 if the byte is byte k of that word.
	fragment, k int
}

// word is what was written to memory as a word, so that its bytes can be known again.
type word struct {
	num    uint64
	object int // the provenance of a pointer
}

// content is an arbitrary content: a byte that is not known yet is -1.
type content struct{ bytes []int }

// decision is a choice of which the interpreter is told.
type decision struct {
	f       string
	v       ir.Value
	base    uint64
	bits    uint32
	value   uint64
	content int
}

type frame struct {
	f         *ir.Func
	registers []value
	number    int
}

type machine struct {
	m     *ir.Module
	unit  uint64
	limit int
	// residues is how many multiples of the unit there are up to maxAlign, if that matters.
	residues uint64
	// low says that objects may lie in the first page: the program makes numbers of pointers
	// or pointers of numbers. They are placed there if it also compares with null or a number of
	// that page, as far as its text tells (tried).
	low, tried bool

	path    []choice
	depth   int
	marks   []mark
	scratch []uint64

	objects    []object
	contents   []content
	words      []word
	log        []decision
	violations []Site
	steps      int
	frames     int
	live       int // frames that are active
	ended      End
	stopped    bool
	beyond     bool
}

func newMachine(m *ir.Module, o Options) *machine {
	if m.PointerBits != wordBits {
		panic("placement: pointers of 32 bits only")
	}
	x := &machine{m: m, unit: o.Unit, limit: o.Steps, residues: 1}
	compared := false
	for _, f := range m.Funcs {
		for v := range f.Values {
			if f.Values[v].Op == ir.Malloc {
				x.residues = max(1, maxAlign/o.Unit)
			}
			switch d := &f.Values[v]; d.Op {
			case ir.PtrToInt, ir.IntToPtr:
				x.low = true
			case ir.Eq, ir.Ne, ir.ULt, ir.ULe:
				for _, a := range d.Args {
					c := f.Def(a)
					compared = compared || c.Op == ir.Null || c.Op == ir.IntToPtr || c.Op == ir.Const && c.Type.Bits == wordBits
				}
			}
		}
	}
	x.tried = x.low && compared
	return x
}

func extent(size uint64) uint64 { return max(size, 1) }

// run makes one run, with the choices of x.path first.
func (x *machine) run() {
	x.depth, x.steps, x.frames = 0, 0, 0
	x.marks, x.log, x.violations = x.marks[:0], x.log[:0], x.violations[:0]
	x.contents, x.words = append(x.contents[:0], content{}), append(x.words[:0], word{object: -1})
	x.objects = append(x.objects[:0], object{})
	x.ended, x.stopped, x.beyond = Returned, false, false
	for _, g := range x.m.Globals {
		x.objects = append(x.objects, object{base: x.place(g.Size, g.Align), size: g.Size, alive: true, constant: g.Constant})
		o := &x.objects[len(x.objects)-1]
		o.bytes = make([]cell, g.Size)
		for i, b := range g.Init {
			o.bytes[i].num = b
		}
	}
	x.call(x.m.Func(x.m.Entry), nil)
}

// call runs a function and returns its first result.
func (x *machine) call(f *ir.Func, args []value) (result value) {
	x.frames++
	fr := &frame{f: f, registers: make([]value, len(f.Values)), number: x.frames}
	for v := range f.Values {
		switch d := &f.Values[v]; d.Op {
		case ir.Const:
			fr.registers[v].num = d.Const.Uint64()
		case ir.GlobalAddr:
			for i, g := range x.m.Globals {
				if g.Name == d.Sym {
					fr.registers[v] = value{num: x.objects[i+1].base, object: i + 1}
				}
			}
		}
	}
	for i, p := range f.Params {
		fr.registers[p] = args[i]
	}
	at, from := ir.BlockID(1), ir.BlockID(0)
blocks:
	for {
		b := &f.Blocks[at]
		incoming := make([]value, 0, 4)
		for _, v := range b.Instrs {
			if d := f.Def(v); d.Op == ir.Phi {
				incoming = append(incoming, fr.registers[d.Args[slices.Index(b.Preds, from)]])
			}
		}
		for i := range incoming {
			fr.registers[b.Instrs[i]] = incoming[i]
		}
		for _, v := range b.Instrs[len(incoming):] {
			if x.steps++; x.steps > x.limit {
				x.ended, x.stopped = TooLong, true
			}
			if x.stopped {
				return value{}
			}
			d := f.Def(v)
			switch d.Op {
			case ir.Br:
				from, at = at, d.Succs[0]
				continue blocks
			case ir.CondBr:
				from = at
				if at = d.Succs[1]; x.truth(fr.registers[d.Args[0]]) {
					at = d.Succs[0]
				}
				continue blocks
			case ir.Ret:
				if len(d.Args) > 0 {
					result = fr.registers[d.Args[0]]
				}
				for i := range x.objects {
					if o := &x.objects[i]; o.frame == fr.number {
						o.alive = false
					}
				}
				return result
			}
			fr.registers[v] = x.instruction(fr, v, d)
		}
	}
}

// truth is the number of a value that the program looks at.
func (x *machine) truth(v value) bool { return x.look(v) != 0 }

// look is the number of a value that decides something. That of a byte of an address
// depends on more than distances.
func (x *machine) look(v value) uint64 {
	if v.fragment != 0 {
		x.beyond = true
	}
	return v.num
}

// compare compares two values. An address may meet null or a small number that the text of the
// program does not show; then objects in the first page would have to be tried.
func (x *machine) compare(op ir.Op, v, w value, t ir.Type) bool {
	a, b := x.look(v), x.look(w)
	if address := t.Kind == ir.Ptr || t.Bits == wordBits; address && x.low && !x.tried && (a < page) != (b < page) {
		x.beyond = true
	}
	switch op {
	case ir.Eq:
		return a == b
	case ir.Ne:
		return a != b
	case ir.ULt:
		return a < b
	default:
		return a <= b
	}
}

func truth(b bool) value {
	if b {
		return value{num: 1}
	}
	return value{}
}

// violated notes a violation.
func (x *machine) violated(fr *frame, v ir.Value, kind ir.CheckKind) {
	x.violations = append(x.violations, Site{fr.f.Name, v, kind})
}

// instruction executes an instruction.
func (x *machine) instruction(fr *frame, v ir.Value, d *ir.Def) value {
	arg := func(i int) value { return fr.registers[d.Args[i]] }
	switch d.Op {
	case ir.Alloca, ir.Malloc, ir.Free:
		return x.object(fr, v, d)
	case ir.Load, ir.Store, ir.MemCpy, ir.MemSet, ir.Havoc:
		return x.access(fr, v, d)
	case ir.Call:
		var args []value
		for i := range d.Args {
			args = append(args, arg(i))
		}
		return x.call(x.m.Func(d.Sym), args)
	case ir.Check:
		if !x.truth(arg(0)) {
			x.violated(fr, v, ir.CheckKind(d.Aux))
		}
	case ir.Accept:
	case ir.Assume:
		if !x.truth(arg(0)) {
			x.ended, x.stopped = AssumeFailed, true
		}
	default:
		return x.compute(fr, v, d)
	}
	return value{}
}

// compute executes what changes nothing.
func (x *machine) compute(fr *frame, v ir.Value, d *ir.Def) value {
	arg := func(i int) value { return fr.registers[d.Args[i]] }
	mask := ^uint64(0) >> (64 - max(d.Type.Bits, 1))
	number := func(n uint64) value { return value{num: n & mask} }
	switch d.Op {
	case ir.Add:
		return number(x.look(arg(0)) + x.look(arg(1)))
	case ir.Sub:
		return number(x.look(arg(0)) - x.look(arg(1)))
	case ir.And:
		return number(x.look(arg(0)) & x.look(arg(1)))
	case ir.Or:
		return number(x.look(arg(0)) | x.look(arg(1)))
	case ir.Xor:
		return number(x.look(arg(0)) ^ x.look(arg(1)))
	case ir.Eq, ir.Ne, ir.ULt, ir.ULe:
		return truth(x.compare(d.Op, arg(0), arg(1), fr.f.Type(d.Args[0])))
	case ir.Select:
		if x.truth(arg(0)) {
			return arg(1)
		}
		return arg(2)
	case ir.Freeze:
		if d.Aux == ir.Cede {
			return x.cede(arg(0))
		}
		return arg(0)
	case ir.Nondet:
		n := x.arbitrary(d.Type.Bits)
		x.noted(fr, v, decision{bits: d.Type.Bits, value: n})
		return value{num: n}
	case ir.PtrToInt, ir.IntToPtr:
		return number(arg(0).num)
	case ir.PtrAdd:
		p := arg(0)
		return value{num: (p.num + arg(1).num) & mask, object: p.object}
	case ir.ValidRange:
		n := arg(1).num
		_, _, ok := x.find(arg(0), n, false)
		return truth(n == 0 || ok)
	case ir.IsHeapStart:
		return truth(x.block(arg(0)) != nil)
	}
	panic("placement: no meaning for " + d.Op.String())
}

// object makes an object, or frees one.
func (x *machine) object(fr *frame, v ir.Value, d *ir.Def) value {
	arg := func(i int) value { return fr.registers[d.Args[i]] }
	switch d.Op {
	case ir.Alloca, ir.Malloc:
		size, align := arg(0).num, uint64(d.Aux)
		o := object{size: size, heap: d.Op == ir.Malloc, alive: true}
		if o.heap {
			align = x.m.HeapAlign()
		} else {
			o.frame = fr.number
		}
		o.base = x.place(size, max(align, 1))
		c := x.newContent(size)
		x.noted(fr, v, decision{base: o.base, content: c})
		o.bytes = make([]cell, size)
		x.fill(o.bytes, c)
		x.objects = append(x.objects, o)
		return value{num: o.base, object: len(x.objects) - 1}
	case ir.Free:
		p := arg(0)
		if p.num == 0 {
			return value{}
		}
		o := x.block(p)
		if o == nil {
			x.violated(fr, v, ir.InvalidFree)
			return value{}
		}
		o.alive = false
	}
	return value{}
}

// access reads or writes.
func (x *machine) access(fr *frame, v ir.Value, d *ir.Def) value {
	arg := func(i int) value { return fr.registers[d.Args[i]] }
	switch d.Op {
	case ir.Load:
		size := d.Type.Size()
		o, at, ok := x.find(arg(0), size, false)
		if !ok {
			x.violated(fr, v, ir.InvalidDeref)
			n := x.arbitrary(d.Type.Bits)
			x.noted(fr, v, decision{bits: d.Type.Bits, value: n})
			return value{num: n}
		}
		return x.read(o.bytes[at:at+size], d.Type)
	case ir.Store:
		t := fr.f.Type(d.Args[0])
		o, at, ok := x.find(arg(1), t.Size(), true)
		if !ok {
			x.violated(fr, v, ir.InvalidDeref)
			return value{}
		}
		x.write(o.bytes[at:at+t.Size()], arg(0), t)
	case ir.MemCpy:
		n := arg(2).num
		dst, to, ok := x.find(arg(0), n, true)
		if n == 0 {
			return value{}
		}
		if !ok {
			x.violated(fr, v, ir.InvalidDeref)
			return value{}
		}
		src, at, ok := x.find(arg(1), n, false)
		if !ok {
			x.violated(fr, v, ir.InvalidDeref)
			c := x.newContent(n)
			x.noted(fr, v, decision{content: c})
			x.fill(dst.bytes[to:to+n], c)
			return value{}
		}
		copy(dst.bytes[to:to+n], src.bytes[at:at+n])
	case ir.MemSet:
		n := arg(2).num
		o, at, ok := x.find(arg(0), n, true)
		if n == 0 {
			return value{}
		}
		if !ok {
			x.violated(fr, v, ir.InvalidDeref)
			return value{}
		}
		for i := range n {
			o.bytes[at+i] = cell{num: byte(x.look(arg(1)))}
		}
	case ir.Havoc:
		n := arg(1).num
		o, at, ok := x.find(arg(0), n, true)
		if n > 0 && !ok {
			x.violated(fr, v, ir.InvalidDeref)
			return value{}
		}
		c := x.newContent(n)
		x.noted(fr, v, decision{content: c})
		if n > 0 {
			x.fill(o.bytes[at:at+n], c)
		}
	}
	return value{}
}

// noted notes a choice of which the interpreter is told.
func (x *machine) noted(fr *frame, v ir.Value, c decision) {
	c.f, c.v = fr.f.Name, v
	x.log = append(x.log, c)
}

// find is the live object that makes an access of n bytes valid.
func (x *machine) find(p value, n uint64, write bool) (o *object, at uint64, ok bool) {
	fits := func(o *object) bool {
		return o.alive && n <= o.size && p.num >= o.base && p.num-o.base <= o.size-n && !(write && o.constant) // no sum: n may be any number
	}
	if p.object != 0 {
		o = &x.objects[p.object]
		return o, p.num - o.base, fits(o)
	}
	for i := range x.objects {
		if o = &x.objects[i]; fits(o) && n > 0 {
			x.bare(p)
			return o, p.num - o.base, true
		}
	}
	return nil, 0, false
}

// block is the live block of the heap that a free of a pointer ends, nil if there is none.
func (x *machine) block(p value) *object {
	for i := range x.objects {
		if o := &x.objects[i]; o.alive && o.heap && o.base == p.num && (p.object == 0 || p.object == i) {
			x.bare(p)
			return o
		}
	}
	return nil
}

// bare ends a run that uses a bare address for an object in the first page: where the address
// is a constant, that is a violation by definition [docs/soundness.md, I10], and otherwise not.
func (x *machine) bare(p value) {
	if p.object == 0 && p.num < page {
		x.ended, x.stopped = TooLong, true
	}
}

// cede gives up the place of the block that starts at the pointer, as realloc does before it makes
// the new one. The result is a pointer to what is there now.
func (x *machine) cede(p value) value {
	if o := x.block(p); o != nil {
		o.ceded = true
	}
	if p.object != 0 {
		return p
	}
	for i := range x.objects {
		if o := &x.objects[i]; o.alive && p.num >= o.base && p.num < o.base+extent(o.size) {
			x.bare(p)
			return value{num: p.num, object: i}
		}
	}
	return p
}

// newContent is an arbitrary content.
func (x *machine) newContent(n uint64) int {
	c := content{make([]int, n)}
	for i := range c.bytes {
		c.bytes[i] = -1
	}
	x.contents = append(x.contents, c)
	return len(x.contents) - 1
}

func (x *machine) fill(to []cell, c int) {
	for i := range to {
		to[i] = cell{content: c, index: i}
	}
}

// write puts a value into memory.
func (x *machine) write(to []cell, v value, t ir.Type) {
	if len(to) == 1 {
		to[0] = cell{num: byte(v.num), fragment: v.fragment, k: v.k}
		return
	}
	// Null and small numbers are bytes like any other, so that they can be made in parts.
	w := 0
	if v.num > pageNumber || v.object != 0 {
		w = x.word(word{v.num, v.object})
	}
	for i := range to {
		to[i] = cell{num: byte(v.num >> (8 * i)), fragment: w, k: i}
	}
}

// word is the name of a word.
func (x *machine) word(w word) int {
	if i := slices.Index(x.words, w); i >= 0 {
		return i
	}
	x.words = append(x.words, w)
	return len(x.words) - 1
}

// known makes a byte known that is part of an arbitrary content, if it is not yet.
func (x *machine) known(c *cell, n int) bool {
	if c.content == 0 {
		return true
	}
	b := &x.contents[c.content].bytes[c.index]
	if *b < 0 {
		if n < 0 {
			return false
		}
		*b = n
	}
	c.num, c.content = byte(*b), 0
	return true
}

// read takes a value from memory.
func (x *machine) read(from []cell, t ir.Type) value {
	if len(from) == 1 {
		c := &from[0]
		if !x.known(c, -1) {
			x.known(c, int(x.arbitrary(8)))
		}
		v := value{num: uint64(c.num) & (1<<t.Bits - 1), k: c.k}
		if c.fragment != 0 { // an integer has no provenance
			v.fragment = x.word(word{num: x.words[c.fragment].num})
		}
		return v
	}
	first := from[0]
	if len(from) != wordBytes {
		panic("placement: an access of unknown size")
	}
	// One word, whole?
	whole, fresh, plain := first.fragment != 0, first.content != 0, true
	for i := range from {
		c := &from[i]
		whole = whole && c.fragment == first.fragment && c.k == i
		fresh = fresh && c.content == first.content && c.index == first.index+i && x.contents[c.content].bytes[c.index] < 0
	}
	switch {
	case whole:
		w := x.words[first.fragment]
		if t.Kind == ir.Ptr {
			return value{num: w.num, object: w.object}
		}
		return value{num: w.num}
	case fresh:
		n := x.number()
		for i := range from {
			x.known(&from[i], int(byte(n>>(8*i))))
		}
		// From now on these bytes are one word, wherever they are: a number that somebody chose.
		w := x.word(word{num: n})
		for i := range from {
			from[i].fragment, from[i].k = w, i
		}
		return value{num: n}
	}
	var num uint64
	for i := range from {
		c := &from[i]
		if c.fragment != 0 || !x.known(c, -1) {
			plain = false
			x.known(c, 0)
		}
		num |= uint64(c.num) << (8 * i)
	}
	x.beyond = x.beyond || !plain || num != 0
	return value{num: num}
}
