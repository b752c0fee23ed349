package harness

import (
	"slices"
	"strings"

	"assay/internal/program/llvm"
)

// This file looks at what a function does with its parameters: which values come from which
// (only by casts, sums with constants, and joins of paths), what is an index into what, what is
// compared with what, and what is passed on. It sees a function after promotion of its
// locals, so parameters are values.

// uses is what is known of a function.
type uses struct {
	f *llvm.Function
	// from are the parameters that a value comes from: a pointer by moving it, an integer by casts and constants.
	from map[llvm.Value]map[int]bool
	// index are the parameters, and the joins of paths (loop counters), that an index of a pointer parameter comes from.
	index map[int]map[llvm.Value]bool
	// moves are the blocks in whose phis a pointer or integer parameter changes.
	phis map[int]map[*llvm.Block]bool
	// block is that of an instruction.
	block map[llvm.Value]*llvm.Block
	// scaled says that an index of a pointer is a multiple of something.
	scaled map[int]bool
	// indexed says that a pointer is not only dereferenced where it points; constant is the greatest constant index.
	indexed  map[int]bool
	constant map[int]uint64
	// comparedNull are the parameters that are compared with null.
	comparedNull map[int]bool
	// expectedZero are the integer parameters that are compared with 0 as they are passed.
	expectedZero map[int]bool
	// containers are the structures around the place where a pointer parameter points.
	containers map[int]container
	// comparedZero are the pointer parameters of which an element is compared with 0 where the pointer moves.
	comparedZero map[int]bool
	// written and read are those whose elements are, stored those that are put into memory, whence they are not followed.
	written, read, stored map[int]bool
	// leaves says that a pointer parameter is passed to a function of which only the name is known.
	leaves     map[int]bool
	compared   [][2]llvm.Value
	subtracted [][2]llvm.Value // pointers: the second from the first
	calls      []*llvm.Inst
	types      map[int][]*llvm.CType // what a pointer parameter is called with another type: locals
	views      map[int][]*llvm.Type  // structures whose members are used where it points
	words      map[int]*llvm.Type    // the integers of more than 8 bits that are read where it points
}

func usesOf(f *llvm.Function) *uses {
	u := &uses{
		f: f, from: map[llvm.Value]map[int]bool{}, index: map[int]map[llvm.Value]bool{}, phis: map[int]map[*llvm.Block]bool{},
		block: map[llvm.Value]*llvm.Block{}, scaled: map[int]bool{}, indexed: map[int]bool{}, constant: map[int]uint64{}, comparedNull: map[int]bool{},
		expectedZero: map[int]bool{}, containers: map[int]container{}, comparedZero: map[int]bool{}, written: map[int]bool{}, read: map[int]bool{}, stored: map[int]bool{}, leaves: map[int]bool{}, types: map[int][]*llvm.CType{}, views: map[int][]*llvm.Type{}, words: map[int]*llvm.Type{},
	}
	for _, p := range f.Params {
		u.from[p] = map[int]bool{p.Index: true}
	}
	u.flow()
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			u.look(b, i)
		}
	}
	return u
}

// flow follows the parameters to a fixed point.
func (u *uses) flow() {
	for changed := true; changed; {
		changed = false
		for _, b := range u.f.Blocks {
			for _, i := range b.Instrs {
				u.block[i] = b
				var sources []llvm.Value
				switch i.Op {
				case llvm.GetElementPtr:
					if i.Elem.Kind != llvm.StructType || len(i.Args) == 2 { // a member is another object
						sources = i.Args[:1]
					}
				case llvm.SExt, llvm.ZExt, llvm.Trunc, llvm.Freeze, llvm.BitCast, llvm.IntToPtr, llvm.PtrToInt:
					sources = i.Args[:1]
				case llvm.Add, llvm.Sub, llvm.ExtractValue:
					if _, args, ok := sum(i); ok && isConst(args[1]) {
						sources = args[:1]
					}
				case llvm.Phi:
					sources = i.Args
				case llvm.Call:
					if k := returned(i); k >= 0 {
						sources = i.Args[k : k+1]
					}
				case llvm.Select:
					sources = i.Args[1:]
				}
				for _, s := range sources {
					for p := range u.from[s] {
						if u.from[i] == nil {
							u.from[i] = map[int]bool{}
						}
						if !u.from[i][p] {
							u.from[i][p], changed = true, true
						}
						if i.Op == llvm.Phi && steps(i) {
							if u.phis[p] == nil {
								u.phis[p] = map[*llvm.Block]bool{}
							}
							u.phis[p][b] = true
						}
					}
				}
			}
		}
	}
}

// returned is the argument that a call returns as it is, -1 if there is none: programs have functions for casts.
func returned(call *llvm.Inst) int {
	callee, ok := call.Callee.(*llvm.Function)
	if !ok || len(callee.Blocks) == 0 {
		return -1
	}
	k := -1
	for _, b := range callee.Blocks {
		last := b.Instrs[len(b.Instrs)-1]
		if last.Op != llvm.Ret {
			continue
		}
		if len(last.Args) != 1 {
			return -1
		}
		p, ok := last.Args[0].(*llvm.Param)
		if !ok || k >= 0 && k != p.Index || p.Index >= len(call.Args) {
			return -1
		}
		k = p.Index
	}
	return k
}

// unmoved removes movements by nothing.
func unmoved(v llvm.Value) llvm.Value {
	for {
		i, ok := v.(*llvm.Inst)
		if ok && i.Op == llvm.Call {
			if k := returned(i); k >= 0 {
				v = i.Args[k]
				continue
			}
		}
		if !ok || i.Op != llvm.GetElementPtr {
			return v
		}
		for _, a := range i.Args[1:] {
			if c, ok := a.(*llvm.Const); !ok || !(c.Kind == llvm.ZeroConst || c.Kind == llvm.IntConst && c.Bits.IsZero()) {
				return v
			}
		}
		v = i.Args[0]
	}
}

// begins says that a pointer is a parameter, or at a constant distance from it: it was not moved by a variable, or in a loop.
func (u *uses) begins(v llvm.Value, param int, seen map[llvm.Value]bool) bool {
	if v == llvm.Value(u.f.Params[param]) {
		return true
	}
	i, ok := v.(*llvm.Inst)
	if !ok || seen[v] {
		return false
	}
	seen[v] = true
	switch i.Op {
	case llvm.GetElementPtr:
		for _, a := range i.Args[1:] {
			if !isConst(a) && !isNull(a) {
				return false
			}
		}
		return u.begins(i.Args[0], param, seen)
	case llvm.BitCast, llvm.Freeze:
		return u.begins(i.Args[0], param, seen)
	case llvm.Select:
		return u.begins(i.Args[1], param, seen) || u.begins(i.Args[2], param, seen)
	case llvm.Phi:
		return !steps(i) && slices.ContainsFunc(i.Args, func(a llvm.Value) bool { return u.begins(a, param, seen) })
	}
	return false
}

// steps says that a join of paths is a counter, or a pointer that moves: one of its values is itself, moved.
func steps(phi *llvm.Inst) bool {
	for _, a := range phi.Args {
		v := a
		for range 8 {
			i, ok := v.(*llvm.Inst)
			if !ok || i == phi {
				break
			}
			switch i.Op {
			case llvm.SExt, llvm.ZExt, llvm.Trunc, llvm.Freeze:
			case llvm.ExtractValue:
				_, args, ok := sum(i)
				switch {
				case !ok:
					v = nil
				case args[0] == llvm.Value(phi):
					return true
				default:
					v = args[0]
					continue
				}
			case llvm.Add, llvm.Sub, llvm.GetElementPtr:
				if i.Args[0] == llvm.Value(phi) {
					return true
				}
			case llvm.Phi: // several steps in one iteration
				for _, x := range i.Args {
					if x != llvm.Value(phi) {
						v = x
					}
				}
				continue
			default:
				v = nil
			}
			if v == nil {
				break
			}
			v = i.Args[0]
		}
	}
	return false
}

func isConst(v llvm.Value) bool {
	c, ok := v.(*llvm.Const)
	return ok && c.Kind == llvm.IntConst
}

func isNull(v llvm.Value) bool {
	c, ok := v.(*llvm.Const)
	return ok && c.Kind == llvm.ZeroConst
}

// root removes casts and sums with constants.
func root(v llvm.Value) llvm.Value {
	v, _ = rooted(v)
	return v
}

// rooted removes casts and sums with constants, and says what these add.
func rooted(v llvm.Value) (root llvm.Value, added int64) {
	for {
		i, ok := v.(*llvm.Inst)
		if !ok {
			return v, added
		}
		switch i.Op {
		case llvm.SExt, llvm.ZExt, llvm.Trunc, llvm.Freeze:
			v = i.Args[0]
		default:
			op, args, ok := sum(i)
			if !ok || !isConst(args[1]) {
				return v, added
			}
			if c := args[1].(*llvm.Const).Bits; c.Width() <= 64 { // wider ones are no indices
				n := c.Int64()
				if op == llvm.Sub {
					n = -n
				}
				added += n
			}
			v = args[0]
		}
	}
}

// isMultiple says that a value is a product with a constant greater than 1, or is shifted to the left by one.
func isMultiple(v llvm.Value) bool {
	i, ok := v.(*llvm.Inst)
	if !ok {
		return false
	}
	args := i.Args
	switch i.Op {
	case llvm.Mul, llvm.Shl:
	case llvm.ExtractValue:
		call, isCall := i.Args[0].(*llvm.Inst)
		if !isCall || call.Op != llvm.Call || !slices.Equal(i.Indices, []uint32{0}) {
			return false
		}
		callee, isFunction := call.Callee.(*llvm.Function)
		if !isFunction || len(call.Args) != 2 || !strings.HasPrefix(callee.Name, "llvm.smul.with.overflow") && !strings.HasPrefix(callee.Name, "llvm.umul.with.overflow") {
			return false
		}
		args = call.Args
	default:
		return false
	}
	return isConst(args[1]) || i.Op != llvm.Shl && isConst(args[0])
}

// sum is an addition or subtraction, and its operands; one that is checked for overflow, too.
func sum(i *llvm.Inst) (op llvm.Opcode, args []llvm.Value, ok bool) {
	switch i.Op {
	case llvm.Add, llvm.Sub:
		return i.Op, i.Args, true
	case llvm.ExtractValue:
		call, isCall := i.Args[0].(*llvm.Inst)
		if !isCall || call.Op != llvm.Call || !slices.Equal(i.Indices, []uint32{0}) {
			return 0, nil, false
		}
		callee, isFunction := call.Callee.(*llvm.Function)
		if !isFunction || len(call.Args) != 2 {
			return 0, nil, false
		}
		switch _, name, _ := strings.Cut(callee.Name, "llvm."); {
		case strings.HasPrefix(name, "sadd.with.overflow"), strings.HasPrefix(name, "uadd.with.overflow"):
			return llvm.Add, call.Args, true
		case strings.HasPrefix(name, "ssub.with.overflow"), strings.HasPrefix(name, "usub.with.overflow"):
			return llvm.Sub, call.Args, true
		}
	}
	return 0, nil, false
}

func (u *uses) look(b *llvm.Block, i *llvm.Inst) {
	switch i.Op {
	case llvm.GetElementPtr:
		last := i.Args[len(i.Args)-1]
		scalar := i.Elem.Kind != llvm.StructType || len(i.Args) == 2
		if p, ok := unmoved(i.Args[0]).(*llvm.Param); ok && i.Elem.Kind == llvm.StructType {
			u.views[p.Index] = append(u.views[p.Index], i.Elem)
		}
		if p, before := u.around(i.Args[0]); p != nil && i.Elem.Kind == llvm.StructType && before < i.Elem.Size && before > u.containers[p.Index].before {
			u.containers[p.Index] = container{i.Elem, before}
		}
		if !scalar {
			return
		}
		for p := range u.from[i.Args[0]] {
			if c, ok := last.(*llvm.Const); ok && c.Kind == llvm.IntConst {
				if n := c.Bits.Uint64(); n < 1<<20 {
					u.constant[p] = max(u.constant[p], n)
				}
				continue
			}
			u.indexed[p] = true
			if u.index[p] == nil {
				u.index[p] = map[llvm.Value]bool{}
			}
			r := root(last)
			u.index[p][r] = true
			u.scaled[p] = u.scaled[p] || isMultiple(r)
		}
	case llvm.ICmp:
		x, y := i.Args[0], i.Args[1]
		if isNull(y) && y.ValueType().Kind == llvm.PointerType {
			if asserts(b, i) {
				return
			}
			if joinsNull(x, map[llvm.Value]bool{}) {
				return
			}
			for p := range u.from[x] {
				u.comparedNull[p] = true
			}
			return
		}
		if p, ok := x.(*llvm.Param); ok && isZero(y) {
			u.expectedZero[p.Index] = true
		}
		u.compared = append(u.compared, [2]llvm.Value{x, y})
		if c, ok := y.(*llvm.Const); ok && (c.Kind == llvm.IntConst && c.Bits.IsZero() || c.Kind == llvm.ZeroConst) {
			if load, ok := root(x).(*llvm.Inst); ok && load.Op == llvm.Load {
				for p := range u.from[load.Args[0]] {
					if len(u.phis[p]) > 0 || u.indexed[p] {
						u.comparedZero[p] = true
					}
				}
			}
		}
	case llvm.Switch:
		if load, ok := root(i.Args[0]).(*llvm.Inst); ok && load.Op == llvm.Load {
			for _, c := range i.Cases {
				if c.IsZero() {
					for p := range u.from[load.Args[0]] {
						if len(u.phis[p]) > 0 || u.indexed[p] {
							u.comparedZero[p] = true
						}
					}
				}
			}
		}
	case llvm.Load:
		if p, ok := unmoved(i.Args[0]).(*llvm.Param); ok && i.Type.Kind == llvm.IntType && i.Type.Bits > 8 {
			u.words[p.Index] = i.Type
		}
		for p := range u.from[i.Args[0]] {
			u.read[p] = true
		}
	case llvm.Store:
		for p := range u.from[i.Args[1]] {
			u.written[p] = true
		}
		for p := range u.from[i.Args[0]] { // it goes to memory: what happens to it is not seen
			u.read[p], u.stored[p] = true, true
		}
	case llvm.Sub:
		x, y := addressOf(i.Args[0]), addressOf(i.Args[1])
		if x != nil && y != nil {
			u.subtracted = append(u.subtracted, [2]llvm.Value{x, y})
		}
	case llvm.Call:
		u.calls = append(u.calls, i)
		if callee, ok := i.Callee.(*llvm.Function); !ok || len(callee.Blocks) == 0 && !strings.HasPrefix(callee.Name, "llvm.") {
			for _, a := range i.Args {
				for p := range u.from[a] {
					u.leaves[p] = true
				}
			}
		}
	case llvm.DbgValue:
		if len(i.Args) == 1 && i.Var != nil && i.Fragment == nil && !i.Indirect {
			if p, ok := unmoved(i.Args[0]).(*llvm.Param); ok {
				u.types[p.Index] = append(u.types[p.Index], i.Var.Type)
			}
		}
	}
}

// joinsNull says that a value is null on a path where nobody passed null.
func joinsNull(v llvm.Value, seen map[llvm.Value]bool) bool {
	i, ok := v.(*llvm.Inst)
	if !ok || seen[v] {
		return isNull(v)
	}
	seen[v] = true
	switch i.Op {
	case llvm.Phi:
		return slices.ContainsFunc(i.Args, func(a llvm.Value) bool { return joinsNull(a, seen) })
	case llvm.Select:
		return joinsNull(i.Args[1], seen) || joinsNull(i.Args[2], seen)
	}
	return false
}

// container is a structure, and how many of its bytes are before the place where a pointer into it points.
type container struct {
	t      *llvm.Type
	before uint64
}

// around is a parameter from which a pointer moves back by a constant, as container_of does, and by how many bytes; nil if it does not.
func (u *uses) around(v llvm.Value) (*llvm.Param, uint64) {
	before := int64(0)
	for {
		i, ok := v.(*llvm.Inst)
		if !ok {
			break
		}
		switch {
		case i.Op == llvm.BitCast || i.Op == llvm.Freeze:
		case i.Op == llvm.GetElementPtr && len(i.Args) == 2 && isConst(i.Args[1]):
			before -= i.Args[1].(*llvm.Const).Bits.Int64() * int64(i.Elem.Size)
		default:
			return nil, 0
		}
		v = i.Args[0]
	}
	if p, ok := v.(*llvm.Param); ok && before > 0 {
		return p, uint64(before)
	}
	return nil, 0
}

// asserts says that a function ends the program where a comparison with null, by which a block ends, finds null: it is no case that it expects.
func asserts(b *llvm.Block, compared *llvm.Inst) bool {
	last := b.Instrs[len(b.Instrs)-1]
	if last.Op != llvm.Br || len(last.Blocks) != 2 {
		return false
	}
	same, inverted := decides(last.Args[0], compared)
	if !same && !inverted {
		return false
	}
	null := last.Blocks[0]
	if (compared.Pred == llvm.IntNE) == same {
		null = last.Blocks[1]
	}
	for _, i := range null.Instrs {
		if i.Op == llvm.Call {
			if callee, ok := i.Callee.(*llvm.Function); i.NoReturn || ok && callee.NoReturn {
				return true
			}
		}
	}
	return false
}

// addressOf is the pointer that an integer is the address of, nil if it is not.
func addressOf(v llvm.Value) llvm.Value {
	if i, ok := v.(*llvm.Inst); ok && i.Op == llvm.PtrToInt {
		return i.Args[0]
	}
	return nil
}

// lengths are the integer parameters that bound the pointer parameter p by use: compared with its index,
// counted down where it moves. Those that are added to it are found by ends.
func (u *uses) lengths(p int) map[int]bool {
	found := map[int]bool{}
	for _, c := range u.compared {
		for k := range 2 {
			r := root(c[k])
			for n := range u.from[c[1-k]] {
				if n == p || u.f.Params[n].Type.Kind != llvm.IntType {
					continue
				}
				if u.index[p][r] {
					found[n] = true
				}
				// for (i = 0; i < n; i++) … *p++: the counter and the pointer change in one place, by as much.
				if phi, ok := r.(*llvm.Inst); ok && phi.Op == llvm.Phi && u.inStep(p, phi) {
					found[n] = true
				}
			}
		}
	}
	for n, blocks := range u.phis { // while (n--) … *p++
		if n < len(u.f.Params) && u.f.Params[n].Type.Kind == llvm.IntType {
			for b := range blocks {
				for _, phi := range b.Instrs {
					if phi.Op == llvm.Phi && u.from[phi][n] && steps(phi) && u.inStep(p, phi) {
						found[n] = true
					}
				}
			}
		}
	}
	return found
}

// inStep says that the pointer parameter p moves where a counter changes, by as many elements, as far as that is known: where one character
// is read for each hexadecimal digit, and a byte is counted for two, it does not.
func (u *uses) inStep(p int, counter *llvm.Inst) bool {
	b := u.block[counter]
	if !u.phis[p][b] {
		return false
	}
	by, known := stride(counter)
	for _, phi := range b.Instrs {
		if phi.Op == llvm.Phi && u.from[phi][p] && steps(phi) {
			if n, ok := stride(phi); !ok || !known || n == by || n == -by {
				return true
			}
		}
	}
	return false
}

// stride is by how much a counter changes in an iteration, or by how many elements a pointer moves; false if that is not one number.
func stride(phi *llvm.Inst) (n int64, ok bool) {
	for _, a := range phi.Args {
		sum, element, returns := int64(0), (*llvm.Type)(nil), false
		for v := a; ; {
			r, added := rooted(v)
			v, sum = r, sum+added
			i, isInst := v.(*llvm.Inst)
			if returns = isInst && i == phi; returns {
				break
			}
			if !isInst || i.Op != llvm.GetElementPtr || len(i.Args) != 2 || element != nil && element != i.Elem {
				break
			}
			c, isNumber := i.Args[1].(*llvm.Const)
			if !isNumber || c.Kind != llvm.IntConst || c.Bits.Width() > 64 {
				break
			}
			v, sum, element = i.Args[0], sum+c.Bits.Int64(), i.Elem
		}
		switch {
		case !returns: // where the loop is entered, or else several ways lead round it
			if stepsBack(a, phi, map[llvm.Value]bool{}) {
				return 0, false
			}
		case ok && n != sum:
			return 0, false
		default:
			n, ok = sum, true
		}
	}
	return n, ok
}

// stepsBack says that a value is computed from a join of paths, among others.
func stepsBack(v llvm.Value, phi *llvm.Inst, seen map[llvm.Value]bool) bool {
	i, ok := v.(*llvm.Inst)
	if !ok || seen[v] {
		return ok && i == phi
	}
	seen[v] = true
	return i == phi || slices.ContainsFunc(i.Args, func(a llvm.Value) bool { return stepsBack(a, phi, seen) })
}

// comparedPointer says that what comes from the pointer parameter is compared with another pointer.
func (u *uses) comparedPointer(p int) bool {
	for _, c := range u.compared {
		if c[0].ValueType() != nil && c[0].ValueType().Kind == llvm.PointerType && (u.from[c[0]][p] || u.from[c[1]][p]) {
			return true
		}
	}
	return false
}

// endOf is the pointer parameter whose end another one is, -1 if there is none: the other is compared with it
// where it moves, or subtracted from the end, which nobody follows; or the end is named so.
func (u *uses) endOf(end int) int {
	if p := u.usedEndOf(end); p >= 0 {
		return p
	}
	if u.read[end] || u.written[end] {
		return -1
	}
	return u.namedEndOf(end)
}

// usedEndOf is endOf without names.
func (u *uses) usedEndOf(end int) int {
	for _, c := range u.compared {
		for k := range 2 {
			if c[k] == llvm.Value(u.f.Params[end]) {
				for p := range u.from[c[1-k]] {
					if p != end && u.f.Params[p].Type.Kind == llvm.PointerType && (len(u.phis[p]) > 0 || u.indexed[p]) {
						return p
					}
				}
			}
		}
	}
	if u.read[end] || u.written[end] {
		return -1
	}
	for _, d := range u.subtracted {
		if d[0] == llvm.Value(u.f.Params[end]) {
			for p := range u.from[d[1]] {
				if p != end && u.f.Params[p].Type.Kind == llvm.PointerType {
					return p
				}
			}
		}
	}
	return -1
}

// namedEndOf is the pointer before a parameter that is named like an end: of the same type, with the same first word if one has.
func (u *uses) namedEndOf(end int) int {
	q := u.f.Params[end]
	if !isEnd(q.Name) || q.Type.Kind != llvm.PointerType {
		return -1
	}
	types := ParameterTypes(u.f)
	if b := types[q.Name].Strip(); b == nil || b.Base.Strip() == nil || b.Base.Strip().Kind == llvm.CPointer {
		return -1 // where an end is kept
	}
	best := -1
	for k := range end {
		p := u.f.Params[k]
		if p.Type.Kind != llvm.PointerType || isEnd(p.Name) || !samePointers(types[p.Name], types[q.Name]) {
			continue
		}
		if best < 0 || Words(p.Name)[0] == Words(q.Name)[0] || Words(u.f.Params[best].Name)[0] != Words(q.Name)[0] {
			best = k
		}
	}
	return best
}

// samePointers says that two types are pointers to the same type, but for qualifiers.
func samePointers(a, b *llvm.CType) bool {
	x, y := a.Strip(), b.Strip()
	if x == nil || y == nil || x.Kind != llvm.CPointer || y.Kind != llvm.CPointer {
		return false
	}
	s, t := x.Base.Strip(), y.Base.Strip()
	return s == t || s != nil && t != nil && s.Kind == llvm.CInt && t.Kind == llvm.CInt && s.Bits == t.Bits
}
