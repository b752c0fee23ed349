package frontend

import (
	"fmt"
	"slices"

	"assay/internal/program/harness"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file calls a function under analysis as a plan says (package harness): objects of the right sizes, strings,
// structures that are filled in. What the flags say of a parameter goes before the plan. All that is made
// is on the heap, and what is left of it is freed at the end if anybody asks for leaks.

// readyLabel is the label behind which the arguments are made.
const readyLabel = "assay.arguments"

// planned makes the arguments of a plan.
type planned struct {
	f *function
	// temporary says that the objects are not freed at the end: functions of the program have them.
	temporary bool
	scalars   map[string]ir.Value
	signed    map[string]bool
	// objects are those that are freed at the end; those that are made under a condition, which is
	// how deep that is, are in slots.
	objects, slots []ir.Value
	used           int // of slots
	conditional    int
	// places are the pointers in structures that are made in every run, by name.
	places map[string]ir.Value
	// same are the arguments of the function under analysis, by name, for functions that change what it gets.
	same     map[string]ir.Value
	limit    uint64 // of ordinary integers
	positive bool   // they are 1 at least
}

// keep remembers an object for the end.
func (p *planned) keep(object ir.Value) {
	switch {
	case p.temporary || !p.f.im.opts.FreeArguments:
		return
	case p.conditional == 0:
		p.objects = append(p.objects, object)
		return
	}
	p.f.b.Store(object, p.slots[p.used])
	p.used++
}

// plan infers the plan, with what the flags say.
func (f *function) plan(fn *llvm.Function) *harness.Plan {
	plan := harness.Infer(f.im.p, fn, f.im.opts.Harness)
	for k := range plan.Parameters {
		x := &plan.Parameters[k]
		if x.Pointer == nil {
			continue
		}
		key := fn.Name + ":" + x.Name
		a, ok := f.im.opts.Arguments[key]
		if ok && x.Pointer.EndOf != "" && (a.IsArray || a.Length != "" || a.String) { // the flags know better
			if t := x.Type.Strip(); t != nil && t.Base.Strip() != nil {
				*x.Pointer = harness.Pointer{MayBeNull: x.Pointer.MayBeNull, Object: &harness.Object{Type: t.Base, Size: (t.Base.Strip().Bits + 7) / 8}}
			}
		}
		if ok && x.Pointer.Object != nil {
			o := x.Pointer.Object
			x.Pointer.Why, x.Pointer.Sized = "as asked", true
			switch {
			case a.IsArray:
				o.Count = harness.Count{Kind: harness.Fixed, Number: uint64(a.Elements)}
			case a.Length != "":
				o.Count = harness.Count{Kind: harness.Length, Name: a.Length}
			case a.String:
				o.Count = harness.Count{Kind: harness.String}
			}
		}
		switch options := f.im.opts; {
		case slices.Contains(options.NonNull, AllPointers), slices.Contains(options.NonNull, key):
			x.Pointer.MayBeNull = false
		case slices.Contains(options.Nullable, AllPointers), slices.Contains(options.Nullable, key):
			x.Pointer.MayBeNull = true
		}
	}
	for _, x := range plan.Parameters { // what may be null says of nothing how much there is
		if x.Pointer == nil || x.Pointer.Object == nil || x.Pointer.Object.Count.Kind != harness.Length {
			continue
		}
		for _, y := range plan.Parameters {
			if x.Pointer.Object.Count.Name == harness.Behind(y.Name) && !isCount(y, plan.Parameters) {
				x.Pointer.Object.Count, x.Pointer.Why = harness.Count{Kind: harness.Any}, ""
			}
		}
	}
	return plan
}

// callPlanned calls the function.
func (f *function) callPlanned(fn *llvm.Function, plan *harness.Plan) {
	p := &planned{f: f, limit: plan.Limit, positive: plan.Positive, scalars: map[string]ir.Value{}, signed: map[string]bool{}, places: map[string]ir.Value{}}
	args := p.arguments(fn, plan.Parameters, harness.Returned, 0)
	f.b.Emit(ir.Def{Op: ir.Label, Sym: readyLabel}) // a trace learns here where the last object is
	f.emitCall(fn, args)
	if !f.im.opts.FreeArguments {
		return
	}
	for _, slot := range p.slots {
		p.objects = append(p.objects, f.b.Load(f.im.m.PtrType(), slot))
	}
	for _, o := range p.objects {
		f.b.Op(ir.Free, ir.Type{}, f.b.Select(f.b.Cmp(ir.IsHeapStart, o), o, f.b.Null()))
	}
}

// arguments makes those of a function; the parameter given, if it is one, has its value.
func (p *planned) arguments(fn *llvm.Function, parameters []harness.Parameter, given int, value ir.Value) []ir.Value {
	f := p.f
	args := make([]ir.Value, 0, len(fn.Params))
	at := map[string]int{}
	var ends []int
	for k, q := range fn.Params {
		x := parameters[k]
		if k == given {
			at[q.Name] = len(args)
			args = append(args, value)
			continue
		}
		if q.ByVal != nil {
			copied := f.b.Alloca(q.ByVal.Size, max(q.ByVal.Align, 1))
			p.fill(x.Fields, copied, x.Name)
			args = append(args, copied)
			continue
		}
		scalars := f.im.flatten(q.Type).scalars
		if v, ok := p.same[q.Name]; ok && x.Same && len(scalars) == 1 && f.b.Func.Type(v) == scalars[0].Type {
			at[q.Name] = len(args)
			args = append(args, v)
			if scalars[0].Type.Kind == ir.Int {
				p.scalars[q.Name], p.signed[q.Name] = v, x.Type.Strip() != nil && x.Type.Strip().Signed
			}
			continue
		}
		for _, s := range scalars {
			at[q.Name] = len(args)
			if s.Type.Kind == ir.Ptr {
				if x.Pointer == nil { // what C has is not known
					args = append(args, f.b.Null())
					continue
				}
				if x.Pointer.EndOf != "" {
					ends = append(ends, k)
				}
				args = append(args, 0)
				continue
			}
			v := f.b.Nondet(s.Type, ir.NondetInput, q.Name)
			if s.Type.Kind == ir.Int {
				p.scalars[q.Name], p.signed[q.Name] = v, x.Type.Strip() != nil && x.Type.Strip().Signed
				p.oneOf(v, x.Values)
				for _, m := range x.Packed {
					t := m.Type.Strip()
					part := f.b.Bin(ir.LShr, v, f.b.Const(s.Type.Bits, 8*m.Offset))
					p.ordinary(f.resize(part, uint32(t.Bits)), t.Signed)
				}
				if x.Ordinary {
					p.ordinary(v, p.signed[q.Name])
				}
			}
			args = append(args, v)
		}
	}
	const counted, plain, made = 0, 1, 2 // what lengths are behind comes first; what is made may get the others
	for stage := range 3 {
		for _, x := range parameters {
			if x.Pointer == nil || x.Pointer.EndOf != "" || args[at[x.Name]] != 0 {
				continue
			}
			is := plain
			switch {
			case x.Pointer.Made != nil:
				is = made
			case isCount(x, parameters):
				is = counted
			}
			if is != stage {
				continue
			}
			args[at[x.Name]] = p.pointer(x.Pointer, x.Name)
			if is == counted {
				t := x.Pointer.Object.Type.Strip()
				name := harness.Behind(x.Name)
				p.scalars[name], p.signed[name] = f.b.Load(ir.IntType(uint32(t.Bits)), args[at[x.Name]]), t.Signed
			}
		}
		if stage == plain && !p.temporary {
			p.same = map[string]ir.Value{}
			for name, k := range at {
				if args[k] != 0 {
					p.same[name] = args[k]
				}
			}
		}
	}
	for _, k := range ends {
		x := parameters[k]
		start := args[at[x.Pointer.EndOf]]
		if start == 0 {
			start = f.b.Null()
		}
		size := f.b.Op(ir.ObjectSize, f.im.m.WordType(), start)
		if i := slices.IndexFunc(parameters, func(y harness.Parameter) bool { return y.Name == x.Pointer.EndOf }); i >= 0 {
			if p := parameters[i].Pointer; p != nil && p.Object != nil && p.Object.Count.Kind == harness.String { // the end is at the 0
				last := f.b.Word(max(p.Object.Size, 1))
				size = f.b.Select(f.b.Cmp(ir.ULt, size, last), f.b.Word(0), f.b.Bin(ir.Sub, size, last)) // null has no size
			}
		}
		args[at[x.Name]] = f.b.PtrAdd(start, size)
	}
	own := slices.Clone(args)
	for _, x := range parameters {
		if x.Pointer != nil && args[at[x.Name]] != 0 {
			for _, name := range x.Pointer.Shared {
				v, ok := p.places[name]
				if k, is := at[name]; is {
					v, ok = own[k], true
				}
				if ok {
					equal := f.b.Bin(ir.And, f.b.Nondet(ir.BoolType, ir.NondetInput, x.Name+" is equal to "+name), f.b.Cmp(ir.Ne, v, f.b.Null()))
					args[at[x.Name]] = f.b.Select(equal, v, args[at[x.Name]])
				}
			}
		}
		if a := f.im.opts.Arguments[fn.Name+":"+x.Name]; a.Alias != "" && x.Pointer != nil {
			equal := f.b.Nondet(ir.BoolType, ir.NondetInput, x.Name+" is equal to "+a.Alias)
			args[at[x.Name]] = f.b.Select(equal, own[at[a.Alias]], own[at[x.Name]])
		}
	}
	return args
}

// isCount says that a parameter leads to the number of elements that another one points to.
func isCount(x harness.Parameter, parameters []harness.Parameter) bool {
	if x.Pointer == nil || x.Pointer.MayBeNull || x.Pointer.Object == nil {
		return false
	}
	t := x.Pointer.Object.Type.Strip()
	return t != nil && t.Kind == llvm.CInt && slices.ContainsFunc(parameters, func(y harness.Parameter) bool {
		return y.Pointer != nil && y.Pointer.Object != nil && y.Pointer.Object.Count.Name == harness.Behind(x.Name)
	})
}

// oneOf assumes that an integer has one of the values; none is any.
func (p *planned) oneOf(v ir.Value, values []int64) {
	if len(values) == 0 {
		return
	}
	b := p.f.b
	bits := b.Func.Type(v).Bits
	var any ir.Value
	for k := 0; k < len(values); {
		end := k + 1
		for end < len(values) && values[end] == values[end-1]+1 {
			end++
		}
		in := b.Cmp(ir.ULe, b.Bin(ir.Sub, v, b.Const(bits, uint64(values[k]))), b.Const(bits, uint64(values[end-1]-values[k])))
		if any == 0 {
			any = in
		} else {
			any = b.Bin(ir.Or, any, in)
		}
		k = end
	}
	b.Assume(any)
}

// ordinary assumes that an integer is small.
func (p *planned) ordinary(v ir.Value, signed bool) {
	b := p.f.b
	bits := b.Func.Type(v).Bits
	if p.positive {
		b.Assume(b.Cmp(ir.ULt, b.Bin(ir.Sub, v, b.Const(bits, 1)), b.Const(bits, p.limit)))
		return
	}
	small(b, v, signed, p.limit)
}

// small assumes that the absolute value of an integer is at most a limit.
func small(b *ir.Builder, v ir.Value, signed bool, limit uint64) {
	bits := b.Func.Type(v).Bits
	if signed {
		b.Assume(b.Cmp(ir.ULe, b.Bin(ir.Add, v, b.Const(bits, limit)), b.Const(bits, 2*limit)))
		return
	}
	b.Assume(b.Cmp(ir.ULe, v, b.Const(bits, limit)))
}

// pointer makes what a pointer points to.
func (p *planned) pointer(x *harness.Pointer, name string) ir.Value {
	b := p.f.b
	var v ir.Value
	switch {
	case x.Made != nil:
		return p.made(x.Made, name)
	case x.Function != nil:
		v = b.FuncAddr(p.callback(x.Function, x.Ordinary, name))
	case x.Object == nil:
		return b.Null()
	default:
		v = p.f.offset(p.object(x.Object, p.count(x.Object, name), name), x.Before)
	}
	if x.MayBeNull {
		return b.Select(b.Nondet(ir.BoolType, ir.NondetInput, name+" is null"), b.Null(), v)
	}
	return v
}

// count is the number of elements, a word; that of a member has been read by fill.
func (p *planned) count(o *harness.Object, name string) ir.Value {
	b, word := p.f.b, p.f.im.m.WordType()
	switch k := o.Count.Kind; {
	case k == harness.Length, k == harness.Ended && o.Count.Name != "":
		n := p.scalars[o.Count.Name]
		if n == 0 {
			return b.Word(1)
		}
		if p.signed[o.Count.Name] {
			return p.f.signedResize(n, word.Bits)
		}
		return p.f.resize(n, word.Bits)
	case k == harness.String:
		return b.Nondet(word, ir.NondetInput, "length of "+name)
	case k == harness.Any, k == harness.Ended:
		return b.Nondet(word, ir.NondetInput, "number of elements of "+name)
	}
	return b.Word(o.Count.Number)
}

// object makes n elements; of a string, one more, which is 0.
func (p *planned) object(o *harness.Object, n ir.Value, name string) ir.Value {
	b := p.f.b
	word := p.f.im.m.WordType()
	size := max(o.Size, 1)
	most := (uint64(1)<<(word.Bits-1) - 1) / size
	if o.Count.Kind != harness.Fixed {
		if len(o.Fields) > 0 {
			most = harness.Most
		} else if o.Count.Kind == harness.String || o.Count.Kind == harness.Ended {
			most-- // there is one more
		}
		b.Assume(b.Cmp(ir.ULt, n, b.Word(most+1)))
	}
	if o.Count.Some || o.Count.Kind == harness.Ended && o.Count.Name == "" {
		b.Assume(b.Cmp(ir.ULt, b.Word(0), n))
	}
	count := n
	if o.Count.Kind == harness.String || o.Count.Kind == harness.Ended {
		count = b.Bin(ir.Add, n, b.Word(1))
	}
	bytes := p.f.multiply(count, size)
	if o.Room > 0 {
		room := b.Word(o.Room)
		if o.Count.Kind == harness.Fixed {
			bytes = room
		} else {
			bytes = b.Select(b.Cmp(ir.ULt, bytes, room), room, bytes)
		}
	}
	object := b.Emit(ir.Def{Op: ir.Malloc, Type: p.f.im.m.PtrType(), Args: []ir.Value{bytes}, Sym: name, Layout: layoutOfC(o, p.f.im.p.PointerBits)})
	p.keep(object)
	if o.Count.Kind == harness.String {
		b.Store(b.Const(uint32(size*8), 0), b.PtrAdd(object, p.f.multiply(n, size)))
	}
	if o.Count.Kind == harness.Ended {
		b.Op(ir.MemSet, ir.Type{}, b.PtrAdd(object, p.f.multiply(n, size)), b.Const(8, 0), b.Word(size))
		count = n
	}
	if o.Count.Terminated && o.Count.Some {
		b.Store(b.Const(uint32(size*8), 0), b.PtrAdd(object, p.f.multiply(b.Bin(ir.Sub, n, b.Word(1)), size)))
	}
	if len(o.Fields) == 0 {
		return object
	}
	if o.Count.Kind == harness.Fixed {
		for k := range min(o.Count.Number, harness.Most) {
			p.fill(o.Fields, p.f.offset(object, k*size), name)
		}
		return object
	}
	done := b.Block("filled")
	if p.conditional == 0 && p.f.im.opts.FreeArguments {
		word := uint64(p.f.im.p.PointerBits / 8)
		for range harness.Most * objectsIn(o.Fields) {
			slot := b.Alloca(word, word)
			b.Store(b.Null(), slot)
			p.slots = append(p.slots, slot)
		}
	}
	p.conditional++
	defer func() { p.conditional-- }()
	for k := range uint64(harness.Most) {
		on := b.Block("fill")
		b.CondBr(b.Cmp(ir.ULt, b.Word(k), count), on, done)
		p.f.at(on)
		p.fill(o.Fields, p.f.offset(object, k*size), fmt.Sprintf("%s[%d]", name, k))
	}
	b.Br(done)
	p.f.at(done)
	return object
}

// objectsIn is how many objects the parts of a structure make at most.
func objectsIn(fields []harness.Field) int {
	n := 0
	for _, x := range fields {
		if x.Pointer == nil || x.Pointer.Object == nil {
			continue
		}
		inner := objectsIn(x.Pointer.Object.Fields)
		if x.Pointer.Object.Count.Kind != harness.Fixed || x.Pointer.Object.Count.Number > 1 {
			inner *= harness.Most
		}
		n += 1 + inner
	}
	return n
}

// layoutOfC describes how an object is accessed.
func layoutOfC(o *harness.Object, pointerBits uint32) ir.Layout {
	l := ir.Layout{}
	if o.Count.Kind != harness.Fixed || o.Count.Number > 1 {
		l.Stride = o.Size
	}
	cells := o.Size
	if t := o.Type.Strip(); t != nil {
		switch t.Kind {
		case llvm.CPointer:
			l.Pointers = true
		case llvm.CStruct:
			for _, m := range t.Members {
				if m.Type == nil {
					continue
				}
				cells |= m.Offset / 8
				if s := m.Type.Strip(); s == nil || s.Kind != llvm.CInt && s.Kind != llvm.CPointer && s.Kind != llvm.CFloat && s.Kind != llvm.CBool && s.Kind != llvm.CEnum {
					cells |= 1
				} else {
					cells |= m.Bits / 8
					l.Pointers = l.Pointers || s.Kind == llvm.CPointer
				}
			}
		}
	}
	l.Cell = cells & -cells
	return l
}

// fill writes the parts of a structure.
func (p *planned) fill(fields []harness.Field, at ir.Value, name string) {
	b := p.f.b
	word := p.f.im.m.WordType()
	read := func(m *harness.Member) ir.Value {
		t := m.Type.Strip()
		v := b.Load(ir.IntType(uint32(t.Bits)), p.f.offset(at, m.Offset))
		if t.Signed {
			return p.f.signedResize(v, word.Bits)
		}
		return p.f.resize(v, word.Bits)
	}
	for _, x := range fields {
		place := p.f.offset(at, x.Offset)
		inner := name + "->" + x.Name
		if x.Name == "*" {
			inner = "*" + name
		}
		switch {
		case x.Ordinary:
			p.ordinary(b.Load(ir.IntType(uint32(x.Type.Strip().Bits)), place), x.Type.Strip().Signed)
		case x.Pointer != nil && x.Pointer.Object != nil && x.Pointer.Object.Count.Kind == harness.InMember:
			n := read(&x.Pointer.Object.Count.Member)
			v := p.object(x.Pointer.Object, n, inner)
			if x.Pointer.MayBeNull {
				null := b.Nondet(ir.BoolType, ir.NondetInput, inner+" is null")
				b.Assume(b.Cmp(ir.Eq, b.Select(null, n, b.Word(0)), b.Word(0)))
				v = b.Select(null, b.Null(), v)
			}
			b.Store(v, place)
		case x.Pointer != nil:
			v := p.pointer(x.Pointer, inner)
			if b.Store(v, place); p.conditional == 0 && p.places != nil {
				p.places[inner] = v
			}
		case x.Null > 0:
			b.Op(ir.MemSet, ir.Type{}, place, b.Const(8, 0), b.Word(x.Null))
		case x.Under > 0:
			v := b.Load(ir.IntType(uint32(x.Type.Strip().Bits)), place)
			b.Assume(b.Cmp(ir.ULt, v, b.Const(uint32(x.Type.Strip().Bits), x.Under)))
		case len(x.Values) > 0:
			v := b.Nondet(ir.IntType(uint32(max(x.Type.Strip().Bits, 8))), ir.NondetInput, inner)
			p.oneOf(v, x.Values)
			b.Store(v, place)
		case x.Terminated:
			t := x.Type.Strip()
			b.Store(b.Const(8, 0), p.f.offset(place, uint64(t.Count)-1))
		}
	}
	for _, x := range fields { // after the pointers: sizes are bounded by then
		if x.AtMost != nil {
			op := ir.ULe
			if x.Below {
				op = ir.ULt
			}
			b.Assume(b.Cmp(op, read(&x.Member), read(x.AtMost)))
		}
	}
}

// callback makes a function of a type: it returns anything, or small numbers, and changes nothing.
func (p *planned) callback(t *llvm.CType, ordinary bool, name string) string {
	im := p.f.im
	im.callbacks++
	symbol := fmt.Sprintf("assay.callback.%d", im.callbacks)
	var results []ir.Type
	problem := ""
	scalar := func(t *llvm.CType) ir.Type {
		s := t.Strip()
		switch {
		case s == nil:
			return ir.Type{}
		case s.Kind == llvm.CBool:
			return ir.BoolType
		case s.Kind == llvm.CInt || s.Kind == llvm.CEnum:
			return ir.IntType(uint32(s.Bits))
		case s.Kind == llvm.CPointer:
			return im.m.PtrType()
		case s.Kind == llvm.CFloat && s.Bits <= 64:
			return ir.FloatType(uint32(s.Bits))
		}
		problem = "a function of the harness with a parameter or result of type " + t.Declare()
		return ir.Type{}
	}
	var result *llvm.CType
	if len(t.Signature) > 0 && t.Signature[0].Strip() != nil {
		result = t.Signature[0]
		results = []ir.Type{scalar(result)}
	}
	var params []ir.Type
	for k, x := range t.Signature[min(1, len(t.Signature)):] {
		if x == nil && k == len(t.Signature)-2 { // the end of a list with ...
			break
		}
		params = append(params, scalar(x))
	}
	if problem != "" {
		results, params = nil, nil
	}
	b := ir.NewFunc(im.m, symbol, results...)
	b.Func.Model = true
	var size ir.Value
	var values, sizes []ir.Value
	for _, t := range params {
		v := b.Param(t)
		if values = append(values, v); t == im.m.WordType() {
			size = v
			sizes = append(sizes, v)
		}
	}
	b.At(b.Block("entry"))
	zeroed := len(sizes) == 2 && len(values) == 2 // as calloc
	if zeroed {
		size = b.Bin(ir.Mul, sizes[0], sizes[1])
	}
	switch {
	case problem != "":
		b.Emit(ir.Def{Op: ir.Unsupported, Sym: problem})
	case len(results) == 0:
		b.Ret()
	case harness.Reads(t):
		word := im.m.WordType()
		n := b.Nondet(word, ir.NondetInput, "length of what "+name+" reads")
		room := values[1]
		switch bits := b.Func.Type(room).Bits; {
		case bits < word.Bits:
			room = b.Op(ir.SExt, word, room)
		case bits > word.Bits:
			room = b.Op(ir.Trunc, word, room)
		}
		b.Assume(b.Cmp(ir.SLt, n, room))
		b.Assume(b.Cmp(ir.SLe, b.Word(0), n))
		b.Op(ir.Havoc, ir.Type{}, values[0], n)
		b.Store(b.Const(8, 0), b.PtrAdd(values[0], n))
		b.Ret(b.Select(b.Nondet(ir.BoolType, ir.NondetInput, name+" returns null"), b.Null(), values[0]))
	case results[0].Kind == ir.Ptr && isCharacters(result) && size == 0: // a string
		n := b.Nondet(im.m.WordType(), ir.NondetInput, "length of the result of "+name)
		b.Assume(b.Cmp(ir.ULt, n, b.Word(callbackString)))
		text := b.Emit(ir.Def{Op: ir.Malloc, Type: im.m.PtrType(), Args: []ir.Value{b.Bin(ir.Add, n, b.Word(1))}, Layout: ir.Layout{Stride: 1, Cell: 1}})
		b.Store(b.Const(8, 0), b.PtrAdd(text, n))
		b.Ret(text)
	case results[0].Kind == ir.Ptr:
		n := b.Word(harness.DefaultSize)
		allocator := false
		if base := result.Strip().Base.Strip(); base != nil && base.Bits >= 8 {
			n = b.Word(max(base.Bits/8, 16))
		} else if size != 0 {
			n, allocator = size, true
		}
		object := b.Emit(ir.Def{Op: ir.Malloc, Type: im.m.PtrType(), Args: []ir.Value{n}})
		if allocator && zeroed {
			b.Op(ir.MemSet, ir.Type{}, object, b.Const(8, 0), n)
		}
		if allocator && im.opts.MallocMayFail {
			object = b.Select(b.Nondet(ir.BoolType, ir.NondetInput, "allocation by "+name+" fails"), b.Null(), object)
		}
		b.Ret(object)
	default:
		v := b.Nondet(results[0], ir.NondetInput, "result of "+name)
		if ordinary && harness.ReturnsInteger(t) {
			small(b, v, result.Strip().Signed, p.limit)
		}
		b.Ret(v)
	}
	b.Done()
	return symbol
}

// callbackString is how long the strings are at most that callbacks return.
const callbackString = 1 << 12

// isCharacters says that a type is char *.
func isCharacters(t *llvm.CType) bool {
	s := t.Strip()
	if s == nil || s.Kind != llvm.CPointer {
		return false
	}
	b := s.Base.Strip()
	return b != nil && b.Kind == llvm.CInt && b.Bits == 8 && b.Name == "char"
}
