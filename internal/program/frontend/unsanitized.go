package frontend

import (
	"math/big"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file has the checks that clang leaves out of scalar operations in programs that it compiles for us: of complex
// integers, and of functions that the program exempts in a way that the macros of clang.go do not see (it has macros of its own by the name no_sanitize).
//
//	+ - *       a signed operation of a scalar without check has nsw. It also has where clang knows that it cannot overflow,
//	            because the operands were narrower: then none is needed
//	/ % << >>   clang's check ends a block, and the operation is in the block behind: one without such a branch
//	            gets a check, if the divisor or the amount does not exclude it
//
// Sums of complex integers have no nsw, and no sign: clang's names tell them where they are computed in temporaries, the types of
// variables elsewhere (c++). A note says that no-overflow is not proved then. Of vectors see unchecked.go.

// guarded counts the checks of clang before a block, of divisions and of shifts.
type guarded struct{ divisions, shifts map[*llvm.Block]int }

func (g *guarded) note(k uint64, next *llvm.Block) {
	if g.divisions == nil {
		g.divisions, g.shifts = map[*llvm.Block]int{}, map[*llvm.Block]int{}
	}
	switch k {
	case 3:
		g.divisions[next]++
	case 20:
		g.shifts[next]++
	}
}

// covered says that an operation of this block has its check.
func covered(counts map[*llvm.Block]int, b *llvm.Block) bool {
	if counts[b] == 0 {
		return false
	}
	counts[b]--
	return true
}

// leftOut emits the checks of an operation on integers that clang has left out.
func (f *function) leftOut(i *llvm.Inst, xs, ys []ir.Value) {
	if f.b.Func.Model || f.im.opts.flatten != "" || i.Type.Kind != llvm.IntType {
		return
	}
	x, y := xs[0], ys[0]
	c, constant := f.isConst(y)
	switch i.Op {
	case llvm.Add, llvm.Sub, llvm.Mul:
		switch {
		case i.NSW && !widened(i) && !f.disabled(ir.Overflow):
			f.signedCheck(i.Op, x, y)
		case i.Part:
			f.uncheckedSums("computes with complex integers")
		}
	case llvm.UDiv, llvm.SDiv, llvm.URem, llvm.SRem:
		if !covered(f.guarded.divisions, f.current) && (!constant || c.IsZero() || c.IsOnes()) {
			f.divisorCheck(i.Op, x, y)
		}
	case llvm.Shl, llvm.LShr, llvm.AShr:
		width := f.b.Func.Type(x).Bits
		if !covered(f.guarded.shifts, f.current) && (!constant || !c.IsUint64() || c.Uint64() >= uint64(width)) {
			f.b.Check(ir.ShiftRange, f.b.Cmp(ir.ULt, y, f.b.Const(width, uint64(width))), "shift amount out of range")
		}
	}
}

// uncheckedSums notes that a function has signed arithmetic which cannot be told from unsigned.
func (f *function) uncheckedSums(why string) {
	f.im.notes.add(Note{Kind: NoteUncheckedSums, Name: f.src.Name, Text: why + ": whether signed ones overflow is not checked", Pos: f.b.Func.Pos})
}

// hasComplexInteger asks each type once: variables have many records, and types of structures lead to many others.
func (im *importer) hasComplexInteger(t *llvm.CType) bool {
	has, known := im.complexIntegers[t]
	if !known {
		has = t.HasComplexInteger()
		if im.complexIntegers == nil {
			im.complexIntegers = map[*llvm.CType]bool{}
		}
		im.complexIntegers[t] = has
	}
	return has
}

// widened says that a signed operation cannot overflow, whatever its operands were extended from.
func widened(i *llvm.Inst) bool {
	if i.Type.Kind != llvm.IntType || i.Type.Bits < 1 || i.Type.Bits > 1<<10 {
		return false
	}
	x, y := rangeOf(i.Args[0]), rangeOf(i.Args[1])
	one := big.NewInt(1)
	least := new(big.Int).Neg(new(big.Int).Lsh(one, uint(i.Type.Bits-1)))
	most := new(big.Int).Sub(new(big.Int).Neg(least), one)
	for _, a := range x {
		for _, b := range y {
			r := new(big.Int)
			switch i.Op {
			case llvm.Add:
				r.Add(a, b)
			case llvm.Sub:
				r.Sub(a, b)
			case llvm.Mul:
				r.Mul(a, b)
			}
			if r.Cmp(least) < 0 || r.Cmp(most) > 0 {
				return false
			}
		}
	}
	return true
}

// rangeOf are the least and the greatest number that a value may be, as far as what it was extended from tells.
func rangeOf(v llvm.Value) [2]*big.Int {
	one := big.NewInt(1)
	if c, ok := v.(*llvm.Const); ok && c.Kind == llvm.IntConst {
		n := c.Bits.Signed()
		return [2]*big.Int{n, n}
	}
	bits, signed := v.ValueType().Bits, true
	if i, ok := v.(*llvm.Inst); ok && (i.Op == llvm.ZExt || i.Op == llvm.SExt) {
		bits, signed = i.Args[0].ValueType().Bits, i.Op == llvm.SExt
	}
	if !signed {
		return [2]*big.Int{new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)}
	}
	half := new(big.Int).Lsh(one, uint(bits-1))
	return [2]*big.Int{new(big.Int).Neg(half), new(big.Int).Sub(half, one)}
}

// noteWarnings notes what clang's warnings tell of checks that it does not make, or makes otherwise.
func (o *Options) noteWarnings(text string) {
	o.zeroDivisors = append(o.zeroDivisors, zeroDivisors(text)...)
	o.warnedConstants = append(o.warnedConstants, warnedConstants(text)...)
	o.noteExemption(text)
}

// noteExemption notes a program that has a macro of its own by the name of the attribute that exempts from sanitizers, of
// which clang has warned.
func (o *Options) noteExemption(warnings string) {
	m := ownExemption.FindStringSubmatch(warnings)
	if m == nil {
		return
	}
	o.note(Note{Kind: NoteExempted, Name: "the program", Text: "has a macro of its own by the name no_sanitize (" + m[1] + ":" + m[2] + "): what it exempts from checks is not known"})
}

// withoutExemption are clang's messages without that warning, and without what it says of the macro that is ours.
func withoutExemption(text string) string {
	if !ownExemption.MatchString(text) {
		return text
	}
	var kept strings.Builder
	dropped := false
	for line := range strings.Lines(text) {
		if m := diagnosticLine.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			dropped = ownExemption.MatchString(line) || dropped && m[4] == "note"
		} else if strings.HasSuffix(strings.TrimSpace(line), "generated.") {
			dropped = true // it counts them
		}
		if !dropped {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
