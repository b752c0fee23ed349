package frontend

import (
	"strconv"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports debug records: the values that C variables take, for
// traces, and the C labels, for the property unreach-label.

// varKey is a variable or a part of one.
type varKey struct {
	v            *llvm.Variable
	offset, size uint64 // in bits; size 0 is the whole
}

// asyncLabel begins the labels of statements that CBMC runs in threads of their own.
const asyncLabel = "__CPROVER_ASYNC_"

func (f *function) debugRecord(i *llvm.Inst) {
	f.setPos(pos(i.Pos))
	if i.Op == llvm.DbgLabel {
		if strings.HasPrefix(i.Label, asyncLabel) {
			f.unsupported("the thread that the label " + i.Label + " starts in CBMC")
			return
		}
		f.b.Emit(ir.Def{Op: ir.Label, Sym: i.Label})
		return
	}
	if i.Var != nil && !f.im.foreign && f.im.hasComplexInteger(i.Var.Type) {
		f.uncheckedSums("has complex integers")
	}
	if i.Op == llvm.DbgDeclare || i.Var == nil || i.Var.Name == "" {
		return // see storedVariable
	}
	index, ok := f.variable(i.Var, i.Fragment)
	if !ok {
		return
	}
	d := ir.Def{Op: ir.Dbg, Aux: int64(index)}
	if len(i.Args) == 1 && !i.Indirect && f.isKnown(i.Args[0]) {
		if list := f.operand(i.Args[0]); len(list) == 1 {
			d.Args = []ir.Value{list[0]}
		}
	}
	f.b.Emit(d)
}

// isKnown says whether the operand of a debug record has a value here. LLVM
// does not demand that its definition dominates the record, and passes that
// have run elsewhere leave some that do not.
func (f *function) isKnown(v llvm.Value) bool {
	if i, ok := v.(*llvm.Inst); ok {
		if f.vals[i] == nil {
			return false
		}
		return !f.im.foreign || f.b.Func.Def(f.vals[i][0]).Block == f.b.Current()
	}
	return !isUndefined(v) && f.im.expressible(v) == ""
}

func isUndefined(v llvm.Value) bool {
	c, ok := v.(*llvm.Const)
	return ok && (c.Kind == llvm.UndefConst || c.Kind == llvm.PoisonConst)
}

// collectDeclared finds the variables that stay in memory.
func (f *function) collectDeclared() {
	for _, b := range f.src.Blocks {
		for _, i := range b.Instrs {
			if i.Op == llvm.DbgDeclare && len(i.Args) == 1 && i.Var != nil && !i.Indirect {
				f.declared[i.Args[0]] = i
			}
		}
	}
}

// storedVariable records a store to a variable in memory. Parts of structs and
// elements of arrays are not followed.
func (f *function) storedVariable(p llvm.Value, values []ir.Value) {
	declare := f.declared[p]
	if declare == nil || len(values) != 1 {
		return
	}
	if t := declare.Var.Type.Strip(); t == nil || t.Kind == llvm.CStruct || t.Kind == llvm.CUnion || t.Kind == llvm.CArray {
		return
	}
	if index, ok := f.variable(declare.Var, declare.Fragment); ok {
		f.b.Dbg(index, values[0])
	}
}

// variable is the index of a variable, or of the member that a fragment is.
func (f *function) variable(v *llvm.Variable, part *llvm.Fragment) (int, bool) {
	key := varKey{v: v}
	name, t := v.Name, v.Type
	if part != nil && (t == nil || part.Offset != 0 || part.Size != t.Bits) {
		key.offset, key.size = part.Offset, part.Size
		var ok bool
		if name, t, ok = member(name, t, part.Offset, part.Size); !ok {
			return 0, false
		}
	}
	if index, ok := f.vars[key]; ok {
		return index, true
	}
	index := f.b.Var(ir.Var{Name: name, Pos: pos(v.Pos), Type: f.im.cType(t)})
	f.vars[key] = index
	return index, true
}

// member finds the member of a struct or the element of an array that occupies
// exactly the given bits, and its name.
func member(name string, t *llvm.CType, offset, size uint64) (string, *llvm.CType, bool) {
	for {
		t = t.Strip()
		if t == nil {
			return "", nil, false
		}
		switch t.Kind {
		case llvm.CStruct:
			found := false
			for _, m := range t.Members {
				if m.Type != nil && m.Bits == m.Type.Bits && m.Offset <= offset && offset+size <= m.Offset+m.Bits {
					if m.Name != "" {
						name += "." + m.Name
					}
					offset -= m.Offset
					t, found = m.Type, true
					break
				}
			}
			if !found {
				return "", nil, false
			}
		case llvm.CArray:
			element := t.Base.Strip()
			if element == nil || element.Bits == 0 {
				return "", nil, false
			}
			name += "[" + strconv.FormatUint(offset/element.Bits, 10) + "]"
			offset %= element.Bits
			t = t.Base
		default:
			return name, t, offset == 0 && t.Bits == size
		}
	}
}

// cType is what a trace has to know of a type.
func (im *importer) cType(t *llvm.CType) ir.CType {
	c := ir.CType{Name: t.Declare()}
	s := t.Strip()
	if s == nil {
		return c
	}
	c.Bits = uint32(s.Bits)
	c.Signed = s.Signed
	c.Float = s.Kind == llvm.CFloat
	c.Ptr = s.Kind == llvm.CPointer
	c.Bool = s.Kind == llvm.CBool
	c.Parts = im.partsOf(s)
	return c
}

// partsOf are the parts of a type without names in front, nil of a scalar. Types that contain pointers to themselves
// do so in the copy.
func (im *importer) partsOf(s *llvm.CType) *ir.Parts {
	if s.Kind != llvm.CPointer && s.Kind != llvm.CArray && s.Kind != llvm.CStruct && s.Kind != llvm.CUnion {
		return nil
	}
	if known, ok := im.parts[s]; ok {
		return known
	}
	out := &ir.Parts{}
	im.parts[s] = out
	if s.Kind == llvm.CPointer || s.Kind == llvm.CArray {
		out.Element = im.cType(s.Base)
		return out
	}
	for _, m := range s.Members {
		if m.Type != nil && m.Bits == m.Type.Bits { // no bit field
			out.Members = append(out.Members, ir.Member{Name: m.Name, Offset: m.Offset, Type: im.cType(m.Type)})
		}
	}
	return out
}
