package show

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/initialised"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file says where garbage comes from that a use of it depends on: a variable without initialiser that
// became a value of the function, or the byte on which the run's token lies (package initialised).

// maxSources bounds the values that are followed back.
const maxSources = 200

// garbage names the source of what the check that fails at e found; "" if it is not known.
func (t *tracer) garbage(e interp.Event) (string, Pointee) {
	names, memory := sources(e.Func, used(e.Func, e.Value))
	if len(names) > 0 && !memory {
		verb := " has no value on this way"
		if len(names) > 1 {
			verb = " may have none"
		}
		return strings.Join(names, ", ") + verb, Pointee{Kind: PointeeLocal, Name: names[0], Where: WhereInside}
	}
	at, offset, ok := token(t.run.Module, e.State)
	if !ok {
		return "", Pointee{}
	}
	for i := len(t.objects) - 1; i >= 0; i-- {
		o := t.objects[i]
		if at >= o.base && at < o.base+max(o.size, 1) && offset < o.size {
			which := fmt.Sprintf("byte %d of ", offset)
			if o.size == 1 {
				which = ""
			}
			if name := t.nameOf(e, o, o.base+offset, 0); name != "" {
				which = name + ", " + which
			}
			return which + o.what, Pointee{Kind: o.kind, Name: o.name, Where: WhereInside}
		}
	}
	for _, g := range t.run.Module.Globals {
		if base := e.State.Symbol(g.Name); g.CName != "" && at >= base && at < base+g.Size {
			what := object{base: base, size: g.Size, name: g.CName, kind: PointeeGlobal, typ: g.CType}
			name := t.nameOf(e, what, base+offset, 0)
			if name != "" {
				name += ", "
			}
			return fmt.Sprintf("%sbyte %d of %s, %s", name, offset, g.CName, bytesText(g.Size)), Pointee{Kind: PointeeGlobal, Name: g.CName, Where: WhereInside}
		}
	}
	return "", Pointee{}
}

// token is where the token lies: an address in its object, and the offset there.
func token(m *ir.Module, s interp.State) (object, offset uint64, ok bool) {
	if m.Global(initialised.TokenObject) == nil {
		return 0, 0, false
	}
	word := uint64(m.PointerBits / 8)
	read := func(name string) uint64 {
		b, there := s.Memory(s.Symbol(name), word)
		ok = ok && there
		return binary.LittleEndian.Uint64(append(slices.Clone(b), make([]byte, 8)...))
	}
	ok = true
	object, offset = read(initialised.TokenObject), read(initialised.TokenOffset)
	return object, offset, ok && object != 0 && offset>>(m.PointerBits-1) == 0
}

// used are the operands of the instruction that a check stands before.
func used(f *ir.Func, check ir.Value) []ir.Value {
	block := f.Blocks[f.Def(check).Block].Instrs
	for _, v := range block[slices.Index(block, check)+1:] {
		// What was added before the instruction has a greater number than it; checks are looked over.
		if v < check {
			return f.Def(v).Args
		}
	}
	return nil
}

// sources are the variables whose missing values become the given ones, and whether they may come from memory, from an
// argument or from a function.
func sources(f *ir.Func, values []ir.Value) (names []string, elsewhere bool) {
	seen := map[ir.Value]bool{}
	for work := values; len(work) > 0 && len(seen) < maxSources; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		switch d := f.Def(v); d.Op {
		case ir.Nondet:
			if k := ir.NondetKind(d.Aux); k == ir.NondetUninit || k == ir.NondetUndef {
				if name := variable(f, v); name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		case ir.Load, ir.Param, ir.Call, ir.Extract:
			elsewhere = true
		default:
			work = append(work, d.Args...)
		}
	}
	slices.Sort(names)
	return names, elsewhere
}

// variable is the name of the variable whose value v is.
func variable(f *ir.Func, v ir.Value) string {
	for i := range f.Values {
		if d := &f.Values[i]; d.Op == ir.Dbg && len(d.Args) > 0 && d.Args[0] == v {
			return f.Vars[d.Aux].Name
		}
	}
	// Debug records of values that nothing else uses are gone; a phi that merges it may have one.
	for i := range f.Values {
		if d := &f.Values[i]; d.Op == ir.Phi && slices.Contains(d.Args, v) {
			for k := range f.Values {
				if x := &f.Values[k]; x.Op == ir.Dbg && len(x.Args) > 0 && x.Args[0] == ir.Value(i) {
					return f.Vars[x.Aux].Name
				}
			}
		}
	}
	return ""
}
