package harness

import (
	"slices"
	"strings"

	"assay/internal/program/llvm"
)

// This file makes the plan of a function.

// Limits of plans: how deep structures are filled in, how many objects there are in all, how many
// calls deep uses are looked for, and how large an array is whose length nothing says.
const (
	Depth       = 3
	objects     = 24
	callDepth   = 5
	DefaultSize = 64
	largeSize   = 1 << 16
)

// Infer makes the plan for a function with a body. The program is what the function reaches, with
// locals promoted to values.
func Infer(p *llvm.Program, f *llvm.Function, v Variant) *Plan {
	in := &inference{p: p, asked: f, variant: v, budget: objects, known: map[*llvm.Function][]summary{}, uses: map[*llvm.Function]*uses{}, kin: map[*llvm.Function][]*kinship{}}
	in.lookAtFields()
	in.lookForWalks()
	return &Plan{Function: f.Name, Limit: v.Most(), Positive: v.Positive, Parameters: in.parameters(f)}
}

// parameters plans what a function is called with.
func (in *inference) parameters(f *llvm.Function) (plan []Parameter) {
	v := &in.variant
	types := ParameterTypes(f)
	list := in.summaries(f, callDepth)
	for _, p := range f.Params {
		x := Parameter{Name: p.Name, Type: types[p.Name]}
		t := x.Type.Strip()
		if name, at, ok := coerced(p.Name); ok && t == nil && types[name].Strip() != nil && p.Type.Kind == llvm.IntType && v.IsOrdinary(AllIntegers) {
			x.Packed = in.packed(types[name].Strip(), at, uint64(p.Type.Bits))
		}
		switch {
		case p.ByVal != nil:
			if t != nil && t.Kind == llvm.CStruct {
				x.Fields = in.fields(t, Depth, nil)
			}
		case p.Type.Kind == llvm.PointerType && t != nil && t.Kind == llvm.CPointer:
			if m := in.made(x.Type); m != nil {
				x.Pointer = &Pointer{Made: m}
				break
			}
			x.Pointer = in.parameter(f, p, x.Type, list)
		case t != nil && t.Kind == llvm.CEnum && len(t.Enumerators) > 0:
			x.Values = slices.Compact(slices.Sorted(slices.Values(t.Enumerators)))
		case v.bounds(t):
			x.Ordinary = v.IsOrdinary(x.Name)
		}
		plan = append(plan, x)
	}
	in.share(f, plan)
	if v.IsOrdinary(AllIntegers) { // lengths behind pointers are numbers as others are
		for _, x := range plan {
			if x.Pointer == nil || x.Pointer.Object == nil || x.Pointer.Object.Count.Kind != Length {
				continue
			}
			for _, y := range plan {
				if x.Pointer.Object.Count.Name == Behind(y.Name) && y.Pointer != nil && y.Pointer.Object != nil && len(y.Pointer.Object.Fields) == 0 {
					y.Pointer.Object.Fields = []Field{{Member: Member{Name: "*", Type: y.Pointer.Object.Type}, Ordinary: true}}
				}
			}
		}
	}
	return plan
}

// coerced is the structure of which an integer parameter has some bytes, as the calling convention passes small ones, and where
// they begin.
func coerced(name string) (structure string, at uint64, ok bool) {
	for suffix, at := range map[string]uint64{".coerce": 0, ".coerce0": 0, ".coerce1": 8} {
		if structure, ok := strings.CutSuffix(name, suffix); ok {
			return structure, at, true
		}
	}
	return "", 0, false
}

// packed are the integers of a structure in the bits from the byte at on.
func (in *inference) packed(t *llvm.CType, at, bits uint64) (list []Member) {
	if t.Kind != llvm.CStruct {
		return nil
	}
	for _, m := range in.flat(t, "", 0, 0) {
		if s := m.Type.Strip(); s != nil && s.Kind == llvm.CInt && s.Bits > 8 && m.Offset >= at && 8*(m.Offset-at)+s.Bits <= bits {
			list = append(list, Member{Name: m.Name, Offset: m.Offset - at, Type: m.Type})
		}
	}
	return list
}

// ParameterTypes finds the C types of parameters, by their names.
func ParameterTypes(f *llvm.Function) map[string]*llvm.CType {
	types := map[string]*llvm.CType{}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if i.Var != nil && types[i.Var.Name] == nil {
				types[i.Var.Name] = i.Var.Type
			}
		}
	}
	if len(f.CTypes) == len(f.Params)+1 {
		for k, p := range f.Params {
			if types[p.Name] == nil {
				types[p.Name] = f.CTypes[k+1]
			}
		}
	}
	return types
}

// summary is what a function does with a parameter that is a pointer.
type summary struct {
	lengths  map[int]string // integer parameters that bound it, with the reason
	text     bool           // it is read as a string
	elements uint64         // at least so many
	bytes    uint64         // the same in bytes
	moved    bool           // more than the element it points to is used
	written  bool
	read     bool
	null     bool // it is compared with null
	ended    bool // it is walked along up to an element of zeros
	whole    bool // a string or such an array is read there to its end, by a loop that nothing else ends, or by a function of the library
	tail     bool // a string that begins somewhere in it is read to its end by a function of the library
	types    []*llvm.CType
	views    []*llvm.Type // structures that it is taken for
	word     *llvm.Type   // the integers that it is taken for
	inside   container    // what it points into
}

type inference struct {
	p       *llvm.Program
	asked   *llvm.Function // the one that the plan is for
	variant Variant
	budget  int
	known   map[*llvm.Function][]summary
	uses    map[*llvm.Function]*uses
	kin     map[*llvm.Function][]*kinship
	// touched and nullable are the members that the program uses, and those that it compares with null, by the size of the structure and the offset.
	touched, nullable map[place]bool
	// unnamed are those of touched that are in structures without name, as unions have them.
	unnamed map[place]bool
	// within are members that the program compares with others of the same structure as places with limits.
	// related are those of which the comparison does not say which is which.
	within, related map[[2]place]bool
	// limiting are members that limit what is not in the same structure, with the functions that compare them.
	limiting map[place]map[string]bool
	// scaled are members that lead to buffers in which places are multiples of another member of the same structure.
	scaled map[place]bool
	// subscripts are members that the program uses as an index of an array of the same structure.
	subscripts map[place]subscript
	names      map[string]*llvm.CType
	// doubled are names of structures that two files define differently.
	doubled map[string]bool
	// walked are members that lead to arrays which end with an element of zeros.
	walked map[place]bool
	// making says that this is about the arguments of a constructor.
	making bool
}

type place struct{ size, offset uint64 }

func (in *inference) usesOf(f *llvm.Function) *uses {
	if in.uses[f] == nil {
		in.uses[f] = usesOf(f)
	}
	return in.uses[f]
}

// summaries are those of the parameters of a function.
func (in *inference) summaries(f *llvm.Function, depth int) []summary {
	if list, ok := in.known[f]; ok {
		return list
	}
	u := in.usesOf(f)
	list := make([]summary, len(f.Params))
	in.known[f] = list // ends recursion
	for _, p := range f.Params {
		s := &list[p.Index]
		s.lengths = map[int]string{}
		if p.Type.Kind != llvm.PointerType {
			continue
		}
		for n := range u.lengths(p.Index) {
			s.lengths[n] = "used up to " + f.Params[n].Name
		}
		for n := range in.ends(u, p.Index) {
			s.lengths[n] = "used up to " + f.Params[n].Name
		}
		s.text, s.null = u.comparedZero[p.Index], u.comparedNull[p.Index]
		s.written, s.read = u.written[p.Index], u.read[p.Index]
		s.elements = u.constant[p.Index] + 1
		s.moved = u.indexed[p.Index] || len(u.phis[p.Index]) > 0
		s.types, s.views, s.word, s.inside = u.types[p.Index], u.views[p.Index], u.words[p.Index], u.containers[p.Index]
	}
	for _, w := range u.walks() {
		for p := range u.from[w.base] {
			list[p].ended, list[p].whole = true, list[p].whole || w.alone
		}
	}
	for _, base := range u.readToEnd() {
		for p := range u.from[base] {
			list[p].whole = true
		}
	}
	for _, call := range u.calls {
		callee, ok := call.Callee.(*llvm.Function)
		if !ok {
			continue
		}
		for k, a := range call.Args {
			for p := range u.from[a] {
				if f.Params[p].Type.Kind == llvm.PointerType && a.ValueType() != nil && a.ValueType().Kind == llvm.PointerType {
					in.passed(u, &list[p], call, callee, k, depth, u.begins(a, p, map[llvm.Value]bool{}))
				}
			}
		}
	}
	return list
}

// passed learns from a call to which a pointer is passed as argument k; whole says that it is passed as it is: else a length is that of a part.
func (in *inference) passed(u *uses, s *summary, call *llvm.Inst, callee *llvm.Function, k, depth int, whole bool) {
	name := strings.TrimPrefix(callee.Name, "__builtin_")
	if strings.HasPrefix(name, "llvm.mem") {
		name = strings.Split(name, ".")[1]
	}
	length := func(n int, inBytes bool, why string) {
		if n >= len(call.Args) {
			return
		}
		r := root(call.Args[n])
		if c, ok := r.(*llvm.Const); ok && c.Kind == llvm.IntConst && call.Args[n] == r {
			if v := c.Bits.Uint64(); v < 1<<20 {
				if inBytes {
					s.bytes = max(s.bytes, v)
				} else {
					s.elements = max(s.elements, v)
				}
			}
			return
		}
		s.moved = true
		for m := range u.from[r] {
			if whole && u.f.Params[m].Type.Kind == llvm.IntType && s.lengths[m] == "" {
				s.lengths[m] = why + " with " + u.f.Params[m].Name
			}
		}
	}
	if n, ok := lengthArgument[name]; ok && slices.Contains(n.pointers, k) {
		s.written = s.written || n.writes && k == n.pointers[0]
		length(n.length, true, "passed to "+name)
		return
	}
	if list, ok := stringArguments[name]; ok {
		is := slices.Contains(list, k)
		all := is && !strings.HasPrefix(name, "strn")
		s.text, s.whole, s.tail = s.text || is, s.whole || all && whole, s.tail || all
		return
	}
	if callee.Blocks == nil || callee.Library || depth == 0 || k >= len(callee.Params) {
		return
	}
	theirs := in.summaries(callee, depth-1)[k]
	s.text, s.moved, s.ended = s.text || theirs.text, s.moved || theirs.moved, s.ended || theirs.ended
	s.written, s.read = s.written || theirs.written, s.read || theirs.read
	s.elements, s.bytes, s.whole = max(s.elements, theirs.elements), max(s.bytes, theirs.bytes), s.whole || whole && theirs.whole
	s.tail = s.tail || theirs.tail
	s.types, s.views = append(s.types, theirs.types...), append(s.views, theirs.views...)
	if s.word == nil {
		s.word = theirs.word
	}
	if whole && s.inside.t == nil {
		s.inside = theirs.inside
	}
	for n := range theirs.lengths {
		length(n, false, "passed to "+callee.Name)
	}
}

// lengthArgument are library functions that use as many bytes of what arguments point to as another argument says.
var lengthArgument = map[string]struct {
	pointers []int
	length   int
	writes   bool
}{
	"memcpy": {[]int{0, 1}, 2, true}, "memmove": {[]int{0, 1}, 2, true}, "memset": {[]int{0}, 2, true}, "memcmp": {[]int{0, 1}, 2, false},
	"memchr": {[]int{0}, 2, false}, "strncpy": {[]int{0}, 2, true}, "snprintf": {[]int{0}, 1, true}, "vsnprintf": {[]int{0}, 1, true},
	"fgets": {[]int{0}, 1, true}, "read": {[]int{1}, 2, true}, "write": {[]int{1}, 2, false}, "recv": {[]int{1}, 2, true}, "send": {[]int{1}, 2, false},
	"strlcpy": {[]int{0}, 2, true}, "strlcat": {[]int{0}, 2, true}, "getcwd": {[]int{0}, 1, true},
	"__memcpy_chk": {[]int{0, 1}, 2, true}, "__memset_chk": {[]int{0}, 2, true},
}

// stringArguments are library functions whose arguments are strings.
var stringArguments = map[string][]int{
	"strlen": {0}, "strcmp": {0, 1}, "strcasecmp": {0, 1}, "strcpy": {1}, "stpcpy": {1}, "strcat": {0, 1}, "strncat": {0}, "strchr": {0}, "strrchr": {0},
	"strstr": {0, 1}, "strdup": {0}, "strtol": {0}, "strtoul": {0}, "strtoll": {0}, "strtoull": {0}, "strtod": {0}, "strtof": {0}, "atoi": {0}, "atol": {0},
	"strspn": {0, 1}, "strcspn": {0, 1}, "strpbrk": {0, 1}, "strtok": {0, 1}, "strtok_r": {0, 1}, "puts": {0}, "fputs": {0}, "fopen": {0, 1}, "open": {0},
	"printf": {0}, "fprintf": {1}, "sprintf": {1}, "perror": {0}, "getenv": {0}, "unlink": {0}, "rename": {0, 1}, "strncmp": {0, 1}, "strncasecmp": {0, 1}, "stat": {0}, "opendir": {0},
}

// parameter says what a pointer parameter points to.
func (in *inference) parameter(f *llvm.Function, p *llvm.Param, t *llvm.CType, list []summary) *Pointer {
	s := list[p.Index]
	out := &Pointer{MayBeNull: s.null && !in.variant.Generous}
	if start := in.usesOf(f).endOf(p.Index); start >= 0 {
		if q := list[start]; len(q.lengths) == 0 {
			out.EndOf, out.Why = f.Params[start].Name, "compared with it"
			return out
		}
	}
	base := t.Strip().Base
	if c := s.inside; c.t != nil {
		if around := in.named(c.t); around != nil {
			out.Object, out.Before, out.Why = in.object(around, Depth, nil), c.before, "moved back to its start"
			return out
		}
	}
	if b := base.Strip(); b == nil || b.Kind == llvm.CStruct && len(b.Members) == 0 {
		for _, other := range s.types { // void *, and what it is taken for
			if o := other.Strip(); o != nil && o.Kind == llvm.CPointer {
				if b := o.Base.Strip(); b != nil && (b.Kind != llvm.CStruct || len(b.Members) > 0) && b.Kind != llvm.CFunction {
					base = o.Base
					break
				}
			}
		}
	}
	base = in.defined(base)
	differs := several(s.views, base)
	for _, other := range s.types { // a structure that is the beginning of a larger one
		if o := other.Strip(); o != nil && o.Kind == llvm.CPointer && beginsWith(o.Base, base) {
			base = o.Base
		}
	}
	room := uint64(0)
	for _, view := range s.views {
		if s := base.Strip(); s != nil && s.Kind == llvm.CStruct && view.Size > (s.Bits+7)/8 {
			room = max(room, view.Size)
		}
		if t := in.named(view); t != nil && (base.Strip() == nil || base.Strip().Kind == llvm.CStruct && t.Strip().Bits > base.Strip().Bits) {
			base = t
		}
	}
	if base.Strip() == nil && s.word != nil {
		base = &llvm.CType{Kind: llvm.CInt, Name: integerNames[s.word.Bits], Bits: uint64(s.word.Bits), Signed: true}
	}
	b := base.Strip()
	if b != nil && b.Kind == llvm.CFunction {
		out.Function, out.Ordinary = b, in.variant.IsOrdinary(AllIntegers)
		return out
	}
	object := in.object(base, Depth, nil)
	if out.Several = differs; differs {
		out.Why = "it is taken for different structures, too"
	}
	s.elements = max(s.elements, (s.bytes+object.Size-1)/max(object.Size, 1))
	out.Object = object
	isChar := b != nil && b.Kind == llvm.CInt && b.Bits == 8
	if s.ended && s.whole && object.Size > 1 { // whatever is counted beside it
		object.end(out, in.ended(object, f, p))
		return out
	}
	if c := in.ended(object, f, p); isArguments(p.Name, c.Name) {
		object.end(out, c)
		out.Why = "named so"
		return out
	}
	n, why := chosenLength(f, p, s, b)
	if n >= 0 && s.lengths[n] == "" && !belongs(p.Name, f.Params[n].Name) && in.usesOf(f).isElement(p.Index, &s, b) {
		n = -1
	}
	if q := in.usesOf(f).behind(p.Index); q >= 0 && leadsToInteger(ParameterTypes(f)[f.Params[q].Name]) && (n < 0 || s.lengths[n] == "") {
		object.Count, out.Why = Count{Kind: Length, Name: Behind(f.Params[q].Name), Some: in.variant.Generous}, "used up to "+Behind(f.Params[q].Name)
		out.Sized, out.ByUse = true, true
		return out
	}
	if n >= 0 && (s.lengths[n] != "" || !in.usesOf(f).scaled[p.Index] || belongs(p.Name, f.Params[n].Name)) {
		if isChar { // a structure that begins there, and what is behind it
			for _, view := range s.views {
				object.Room = max(object.Room, view.Size)
			}
		}
		object.Count, out.Why = Count{Kind: Length, Name: f.Params[n].Name, Some: in.variant.Generous && !in.usesOf(f).expectedZero[n]}, why
		out.Sized, out.ByUse = true, s.lengths[n] != ""
		if s.whole && isChar {
			if constant(base) && roomOfAnother(f, p, n, list) {
				object.Count, out.Why, out.Sized, out.ByUse = Count{Kind: String}, "read up to a null character", false, false
				return out
			}
			if !constant(base) && s.written {
				object.Count.Some, object.Count.Terminated = true, true
			}
		}
		if object.Type != nil && object.Size > 1 && strings.HasPrefix(why, "passed to ") && s.elements <= 1 && !in.usesOf(f).indexed[p.Index] && isBytes(why) {
			object.Type, object.Size = nil, 1 // the length is in bytes
		}
		return out
	}
	for start := range f.Params {
		if in.usesOf(f).endOf(start) == p.Index {
			object.Count, out.Sized, out.ByUse = Count{Kind: Any}, true, in.usesOf(f).usedEndOf(start) == p.Index
			if isChar && s.tail {
				object.Count.Kind = String
			}
			return out
		}
	}
	if s.ended && object.Size > 1 {
		object.end(out, in.ended(object, f, p))
		return out
	}
	switch {
	case isChar && (s.text || isCharacter(b) && (constant(base) || !s.written || s.read && !s.moved)):
		object.Count = Count{Kind: String}
		if s.text {
			out.Why = "read up to a null character"
		}
	case b == nil || b.Kind == llvm.CInt || b.Kind == llvm.CFloat:
		object.Count = Count{Kind: Fixed, Number: max(s.elements, 1)}
		if s.moved || b == nil || isCharacter(b) {
			object.Count.Number, out.Why = max(s.elements, DefaultSize), "nothing says how many"
		}
		if in.variant.Generous {
			object.Count.Number = largeSize
		}
	default:
		object.Count = Count{Kind: Fixed, Number: max(s.elements, 1)}
		if room > object.Size && object.Count.Number == 1 {
			object.Room = room
		}
		if s.moved && len(object.Fields) == 0 {
			object.Count = Count{Kind: Fixed, Number: max(s.elements, DefaultSize)}
			out.Why = "nothing says how many"
			if in.variant.Generous {
				object.Count.Number = largeSize
			}
		}
	}
	return out
}

// roomOfAnother says that a length is that of another pointer, which is written: of a string that is copied there, as by strlcpy, it is none.
func roomOfAnother(f *llvm.Function, p *llvm.Param, n int, list []summary) bool {
	for _, q := range f.Params {
		if q != p && q.Type.Kind == llvm.PointerType && list[q.Index].written && list[q.Index].lengths[n] != "" {
			return true
		}
	}
	return false
}

// ended is the number of elements of an array that ends with one of zeros. Of pointers there are as many before a null pointer as a parameter says that
// is named like their number, as argc is that of argv.
func (in *inference) ended(o *Object, f *llvm.Function, p *llvm.Param) Count {
	if t := o.Type.Strip(); t != nil && t.Kind == llvm.CPointer {
		for k, q := range f.Params {
			if q.Type.Kind == llvm.IntType && q.Type.Bits > 8 && (belongs(p.Name, q.Name) || isArguments(p.Name, q.Name)) {
				return Count{Kind: Ended, Name: q.Name, Some: in.variant.Generous && !in.usesOf(f).expectedZero[k]}
			}
		}
	}
	return Count{Kind: Ended}
}

// end makes an array of an element: it ends with one of zeros.
func (o *Object) end(p *Pointer, n Count) {
	o.Count = n
	p.Why, p.Sized, p.ByUse = "walked along up to one of zeros", true, true
}

// integerNames are what integers are called that no type of the source names.
var integerNames = map[uint32]string{16: "short", 32: "int", 64: "long"}

// beginsWith says that the first member of a structure is of a type, or begins with it.
func beginsWith(t, first *llvm.CType) bool {
	s, f := t.Strip(), first.Strip()
	if s == nil || f == nil || s.Kind != llvm.CStruct || f.Kind != llvm.CStruct || len(s.Members) == 0 || s.Bits <= f.Bits {
		return false
	}
	m := s.Members[0]
	return m.Offset == 0 && (m.Type.Strip() == f || beginsWith(m.Type, first))
}

// several says that some of the structures that a pointer is taken for are larger than the one it is said to point to and begin with it,
// while none of two is a beginning of the other: an object can only be one of them.
func several(views []*llvm.Type, base *llvm.CType) bool {
	b := base.Strip()
	if b == nil || b.Kind != llvm.CStruct || len(b.Members) == 0 {
		return false
	}
	size := (b.Bits + 7) / 8
	var larger []*llvm.Type
	for _, v := range views {
		if v.Size <= size || v.Fields[0].Kind != llvm.StructType || structureName(v) == "" {
			continue
		}
		for _, x := range larger {
			if !startsWith(x, v) && !startsWith(v, x) {
				return true
			}
		}
		larger = append(larger, v)
	}
	return false
}

// startsWith says that a structure is another one, or that its first member is one that starts with it.
func startsWith(t, first *llvm.Type) bool {
	return t.Kind == llvm.StructType && (structureName(t) == structureName(first) || len(t.Fields) > 0 && startsWith(t.Fields[0], first))
}

// structureName is the name of a structure in C, empty if it has none; where two files have one of a name, LLVM numbers them.
func structureName(t *llvm.Type) string {
	text, _, _ := strings.Cut(t.Text, " = ") // the body of the type is behind its name
	name, ok := strings.CutPrefix(text, "%struct.")
	if !ok {
		return ""
	}
	if k := strings.LastIndexByte(name, '.'); k > 0 && strings.Trim(name[k+1:], "0123456789") == "" && name[:k] != "anon" {
		name = name[:k]
	}
	return name
}

// noteAll gives all structures of the program their names.
func (in *inference) noteAll() {
	if in.names != nil {
		return
	}
	in.names, in.doubled = map[string]*llvm.CType{}, map[string]bool{}
	seen := map[*llvm.CType]bool{}
	for _, f := range in.p.Functions {
		for _, t := range f.CTypes {
			in.note(t, seen)
		}
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if i.Var != nil {
					in.note(i.Var.Type, seen)
				}
			}
		}
	}
}

// isOpaque says that a type is a structure that is declared, and not defined.
func isOpaque(t *llvm.CType) bool {
	s := t.Strip()
	return s != nil && s.Kind == llvm.CStruct && len(s.Members) == 0 && s.Bits == 0
}

// defined is a type, for a structure that its file only declares as another file of the program defines it: those that look into the
// structure know what it is. Two different definitions are none.
func (in *inference) defined(t *llvm.CType) *llvm.CType {
	if !isOpaque(t) {
		return t
	}
	in.noteAll()
	name := strings.TrimPrefix(t.Strip().Name, "struct ")
	if d := in.names[name]; d != nil && d.Kind == llvm.CStruct && !in.doubled[name] {
		return d
	}
	return t
}

// named is the C type of a structure of LLVM, nil if there is none of its name.
func (in *inference) named(t *llvm.Type) *llvm.CType {
	in.noteAll()
	text, _, _ := strings.Cut(t.Text, " = ") // the body of the type is behind its name
	name, ok := strings.CutPrefix(text, "%struct.")
	if c := in.names[name]; ok && c != nil && c.Strip().Bits/8 == t.Size {
		return c
	}
	return nil
}

// note gives structures their names.
func (in *inference) note(t *llvm.CType, seen map[*llvm.CType]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	if s := t.Strip(); s != nil && s.Kind == llvm.CStruct && len(s.Members) > 0 {
		switch {
		case t.Kind == llvm.CAlias && t.Name != "" && s.Name == "struct":
			in.names[t.Name] = t
		case t.Kind == llvm.CStruct && t.Name != "struct":
			name := strings.TrimPrefix(t.Name, "struct ")
			if other := in.names[name]; other != nil && other.Strip().Bits != t.Bits {
				in.doubled[name] = true
			}
			in.names[name] = t
		}
	}
	in.note(t.Base, seen)
	for _, m := range t.Members {
		in.note(m.Type, seen)
	}
}

// isBytes says that a reason names a library function that counts bytes.
func isBytes(why string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(why, "passed to "), " ")
	_, ok := lengthArgument[name]
	return ok
}

func isCharacter(t *llvm.CType) bool { return t != nil && t.Kind == llvm.CInt && t.Name == "char" }

// constant says that a type is qualified so.
func constant(t *llvm.CType) bool {
	for ; t != nil && t.Kind == llvm.CAlias; t = t.Base {
		if t.Const {
			return true
		}
	}
	return false
}

// chosenLength is the parameter that has the number of elements, -1 if none has.
func chosenLength(f *llvm.Function, p *llvm.Param, s summary, base *llvm.CType) (n int, why string) {
	best, score := -1, 0
	for k, q := range f.Params {
		if q.Type.Kind != llvm.IntType || q.Type.Bits < 8 {
			continue
		}
		points := 0
		if s.lengths[k] != "" {
			points += 8
		}
		named := isOneOf(q.Name, lengthWords)
		switch {
		case belongs(p.Name, q.Name):
			points += 6
		case named && points > 0:
			points += 3
		case named && (base == nil || base.Kind == llvm.CInt || base.Kind == llvm.CFloat) && !s.text && nextInteger(f, p.Index) == k:
			points += 2
		}
		if points > 0 && k > p.Index {
			points++
		}
		if points > score {
			best, score = k, points
		}
	}
	switch {
	case best < 0:
		return -1, ""
	case s.lengths[best] != "":
		return best, s.lengths[best]
	case base != nil && base.Kind != llvm.CInt && base.Kind != llvm.CFloat && !s.moved:
		return -1, ""
	}
	return best, "named so"
}

// nextInteger is the first integer parameter after a pointer, -1 if there is none.
func nextInteger(f *llvm.Function, p int) int {
	for k := p + 1; k < len(f.Params); k++ {
		if f.Params[k].Type.Kind == llvm.IntType {
			return k
		}
	}
	return -1
}
