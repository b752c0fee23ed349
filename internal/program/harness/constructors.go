package harness

import (
	"slices"
	"strings"

	"assay/internal/program/llvm"
)

// This file lets the functions of a library make the objects that a function gets: a constructor, then perhaps functions that change the
// object. What goes wrong with such an object needs no invariant that a structure with arbitrary content may lack. Which functions these
// are is said in a Variant; package scan chooses them by Structures. The objects are some of those that the library makes: a
// proof about them says nothing of others.

// Structure is what a parameter or a result points to: the name of a structure, empty if it is something else.
type Structure struct {
	Type     string
	Constant bool
	// Handed is the structure whose place a function may put there, as in `int stack_new(struct stack **out)`.
	Handed string
}

// StructureOf is that of a type.
func StructureOf(t *llvm.CType) (s Structure) {
	p := t.Strip()
	if p == nil || p.Kind != llvm.CPointer {
		return s
	}
	if inner := p.Base.Strip(); inner != nil && inner.Kind == llvm.CPointer {
		if h := StructureOf(inner); !h.Constant && !isConstant(p.Base) {
			s.Handed = h.Type
		}
		return s
	}
	alias := ""
	for b := p.Base; b != nil; b = b.Base {
		switch {
		case b.Kind == llvm.CAlias && b.Const:
			s.Constant = true
		case b.Kind == llvm.CAlias:
			alias = b.Name
		case b.Kind == llvm.CStruct && b.Name != "struct":
			s.Type = strings.TrimPrefix(b.Name, "struct ")
			return s
		case b.Kind == llvm.CStruct:
			s.Type = alias
			return s
		default:
			return Structure{}
		}
	}
	return Structure{}
}

// isConstant says that a type is qualified so.
func isConstant(t *llvm.CType) bool {
	for ; t != nil && t.Kind == llvm.CAlias; t = t.Base {
		if t.Const {
			return true
		}
	}
	return false
}

// IsStructure says that a type is a structure.
func IsStructure(t *llvm.CType) bool {
	s := t.Strip()
	return s != nil && s.Kind == llvm.CStruct
}

// Returned says that a constructor returns the object, instead of filling in that of a parameter.
const Returned = -1

// Step is a function that makes or changes an object: that of the parameter Into. If it is Handed, that parameter says where the function
// puts the pointer to an object that it makes.
type Step struct {
	Function string
	Into     int
	Handed   bool
	// Always says that it is called in every run, and succeeds, as an iterator is moved on before anybody asks it for something.
	Always bool
}

// New says that the object is memory of the constructor's own.
func (s *Step) New() bool { return s.Into == Returned || s.Handed }

// Making says how objects of a structure are made: by one of Makers, then by each of Changers, or not.
type Making struct {
	Type             string
	Makers, Changers []Step
	// Inner says that only constructors of other structures get one.
	Inner bool
}

// Made is a Making with what the functions are called with.
type Made struct {
	Makers, Changers []Call
	Object           *Object // that constructors fill in: zeros
}

// Call is a Step and its arguments.
type Call struct {
	Step
	Parameters []Parameter
	// Succeeds says that the result is not negative: it returns negative numbers where it fails.
	Succeeds bool
}

// made is how the object behind a parameter is made, nil if nothing says so.
func (in *inference) made(t *llvm.CType) *Made {
	s := StructureOf(t)
	k := slices.IndexFunc(in.variant.Made, func(m Making) bool { return m.Type == s.Type })
	if s.Type == "" || k < 0 {
		return nil
	}
	out := &Made{}
	for _, m := range in.variant.Made[k].Makers {
		if c, ok := in.call(m, s.Type); ok {
			out.Makers = append(out.Makers, c)
		}
	}
	for _, m := range in.variant.Made[k].Changers {
		if c, ok := in.call(m, s.Type); ok {
			in.sameKeys(&c)
			out.Changers = append(out.Changers, c)
		}
	}
	if len(out.Makers) == 0 {
		return nil
	}
	base := in.defined(t.Strip().Base)
	if b := base.Strip(); b != nil {
		out.Object = &Object{Type: base, Size: (b.Bits + 7) / 8, Count: Count{Kind: Fixed, Number: 1}}
	}
	if out.Object == nil || out.Object.Size == 0 { // what it looks like is not known here
		out.Makers = slices.DeleteFunc(out.Makers, func(c Call) bool { return !c.New() })
		out.Object = nil
	}
	if len(out.Makers) == 0 {
		return nil
	}
	return out
}

// call plans a step for a structure. Other structures that it gets are made, too, as an iterator needs a list that is one; what these need is
// not.
func (in *inference) call(s Step, structure string) (Call, bool) {
	f := in.p.Function(s.Function)
	if f == nil || f.Blocks == nil || s.Into >= len(f.Params) {
		return Call{}, false
	}
	inner := *in
	inner.variant.Made, inner.variant.Ordinary, inner.making = nil, []string{AllIntegers}, true
	if !in.making {
		inner.variant.Made = slices.DeleteFunc(slices.Clone(in.variant.Made), func(m Making) bool { return m.Type == structure })
	}
	inner.budget = objects / 3
	return Call{s, inner.parameters(f), !s.New() && returnsNegative(f)}, true
}

// sameKeys lets a function that changes an object get what the function under analysis gets, for keys: numbers, and what is only read. Who puts
// something into a table and takes it out again names the same key twice.
func (in *inference) sameKeys(c *Call) {
	if !in.variant.Same || in.making {
		return
	}
	theirs := ParameterTypes(in.asked)
	for k := range c.Parameters {
		x := &c.Parameters[k]
		own, s := theirs[x.Name], x.Type.Strip()
		if k == c.Into || s == nil || own == nil || own.Declare() != x.Type.Declare() {
			continue
		}
		switch s.Kind {
		case llvm.CInt, llvm.CEnum, llvm.CBool:
			x.Same = true
		case llvm.CPointer:
			x.Same = isConstant(s.Base) && !IsStructure(s.Base)
		}
	}
}

// SameKeys says that some function that changes the object gets a key that the function under analysis gets.
func (m *Made) SameKeys() bool {
	return slices.ContainsFunc(m.Changers, func(c Call) bool { return slices.ContainsFunc(c.Parameters, func(x Parameter) bool { return x.Same }) })
}

// returnsNegative says that a function returns a negative constant, or another number.
func returnsNegative(f *llvm.Function) bool {
	if f.Type.Return.Kind != llvm.IntType {
		return false
	}
	for _, b := range f.Blocks {
		i := b.Instrs[len(b.Instrs)-1]
		if i.Op != llvm.Ret || len(i.Args) != 1 {
			continue
		}
		values := []llvm.Value{i.Args[0]}
		if phi, ok := i.Args[0].(*llvm.Inst); ok && (phi.Op == llvm.Phi || phi.Op == llvm.Select) {
			values = phi.Args
		}
		for _, v := range values {
			if c, ok := v.(*llvm.Const); ok && c.Kind == llvm.IntConst && c.Bits.Width() <= 64 && c.Bits.Int64() < 0 {
				return true
			}
		}
	}
	return false
}

// text says how the object is made.
func (m *Made) text() string {
	list := func(calls []Call, word string) string {
		var names []string
		for _, c := range calls {
			names = append(names, c.Function)
		}
		return strings.Join(names, word)
	}
	text := "is an object that " + list(m.Makers, " or ") + " makes"
	var inner []string
	for _, c := range m.Makers {
		for _, x := range c.Parameters {
			if x.Pointer != nil && x.Pointer.Made != nil {
				if what := list(x.Pointer.Made.Makers, " or "); !slices.Contains(inner, what) {
					inner = append(inner, what)
				}
			}
		}
	}
	if len(inner) > 0 {
		text += " of what " + strings.Join(inner, " and ") + " makes"
	}
	var always, may []Call
	for _, c := range m.Changers {
		if c.Always {
			always = append(always, c)
		} else {
			may = append(may, c)
		}
	}
	if len(always) > 0 {
		text += ", and that " + list(always, " and then ") + " has moved on"
	}
	if len(may) > 0 {
		text += ", and that " + list(may, " and then ") + " may change"
	}
	var keys []string
	for _, c := range m.Changers {
		for _, x := range c.Parameters {
			if x.Same && !slices.Contains(keys, x.Name) {
				keys = append(keys, x.Name)
			}
		}
	}
	if len(keys) > 0 {
		text += " (with the same " + strings.Join(keys, ", ") + ")"
	}
	return text
}
