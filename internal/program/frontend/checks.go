package frontend

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file recovers the checks that clang compiled into the program.
//
// Undefined behaviour of C's arithmetic cannot be read off LLVM's
// instructions: shifts carry no flag, char arithmetic is promoted, compound
// assignments narrow. clang knows, and -fsanitize=… -fsanitize-trap=all makes
// it write the exact check before the operation:
//
//	%5 = xor i1 %overflow, true
//	br i1 %5, label %cont, label %trap
//	trap:  call void @llvm.ubsantrap(i8 k)   unreachable
//
// Such a branch becomes a Check instruction, and the run goes on at cont. Two
// kinds are split, for they belong to different properties:
//
//	k = 3   divisor != 0  and  (dividend != MIN or divisor != -1)
//	k = 20  amount < width  and  no bit lost; the second part is computed in
//	        a block of its own, because the first one guards it:
//
//	            br i1 %valid, label %check, label %cont
//	    check:  %zeros = sub 31, %b    %lost = lshr %a, %zeros    %1 = icmp eq %lost, 0
//	    cont:   %2 = phi [true], [%1]  %3 = and %valid, %2   br %3, …
//
// The diamond is flattened, so that a shift costs no path.

// checks are the traps and the shift diamonds of a function.
type checks struct {
	// traps maps the blocks that only trap to the kind k.
	traps map[*llvm.Block]uint64
	// diamonds maps the branch on %valid to the diamond.
	diamonds map[*llvm.Inst]*diamond
	// phis maps the phi of a diamond to it.
	phis map[*llvm.Inst]*diamond
	// lengths maps signed lengths of arrays to the conditions that they are positive.
	lengths map[llvm.Value]llvm.Value
}

// diamond is the second part of the check of a left shift.
type diamond struct {
	valid llvm.Value
	check *llvm.Block
	cont  *llvm.Block
	// zeros is the amount %zeros as an instruction, nil if it is constant.
	zeros *llvm.Inst
	lost  *llvm.Inst
	equal *llvm.Inst
}

func findChecks(src *llvm.Function) *checks {
	c := &checks{traps: map[*llvm.Block]uint64{}, diamonds: map[*llvm.Inst]*diamond{}, phis: map[*llvm.Inst]*diamond{}, lengths: map[llvm.Value]llvm.Value{}}
	for _, b := range src.Blocks {
		if k, ok := trapKind(b); ok {
			c.traps[b] = k
		}
	}
	if len(c.traps) == 0 {
		return c
	}
	preds := map[*llvm.Block]int{}
	for _, b := range src.Blocks {
		for _, to := range successors(b) {
			preds[to]++
		}
	}
	for _, b := range src.Blocks {
		last := b.Instrs[len(b.Instrs)-1]
		if last.Op == llvm.Br && preds[last.Blocks[0]] != 1 {
			continue
		}
		if d, phi := c.matchDiamond(b, last); d != nil {
			c.diamonds[last] = d
			c.phis[phi] = d
		}
	}
	return c
}

// trapKind recognises a block that consists of llvm.ubsantrap(k).
func trapKind(b *llvm.Block) (uint64, bool) {
	if len(b.Instrs) != 2 || b.Instrs[1].Op != llvm.Unreachable || b.Instrs[0].Op != llvm.Call {
		return 0, false
	}
	call := b.Instrs[0]
	callee, ok := call.Callee.(*llvm.Function)
	if !ok || callee.Name != "llvm.ubsantrap" {
		return 0, false
	}
	return constInt(call.Args[0])
}

func constInt(v llvm.Value) (uint64, bool) {
	if c, ok := v.(*llvm.Const); ok && c.Kind == llvm.IntConst && c.Bits.IsUint64() {
		return c.Bits.Uint64(), true
	}
	return 0, false
}

// matchDiamond recognises the shape shown above, and nothing else: a shift
// whose check is not recognised keeps its branches.
func (c *checks) matchDiamond(b *llvm.Block, br *llvm.Inst) (*diamond, *llvm.Inst) {
	if br.Op != llvm.Br || len(br.Blocks) != 2 {
		return nil, nil
	}
	d := &diamond{valid: br.Args[0], check: br.Blocks[0], cont: br.Blocks[1]}
	body := d.check.Instrs
	if end := body[len(body)-1]; end.Op != llvm.Br || len(end.Blocks) != 1 || end.Blocks[0] != d.cont {
		return nil, nil
	}
	switch {
	case len(body) == 4 && body[0].Op == llvm.Sub && body[1].Op == llvm.LShr && body[1].Args[1] == llvm.Value(body[0]):
		width := uint64(body[0].Type.Bits)
		if k, ok := constInt(body[0].Args[0]); !ok || k != width-1 || width&(width-1) != 0 {
			return nil, nil
		}
		d.zeros, d.lost, d.equal = body[0], body[1], body[2]
	case len(body) == 3 && body[0].Op == llvm.LShr:
		if _, ok := constInt(body[0].Args[1]); !ok {
			return nil, nil
		}
		d.lost, d.equal = body[0], body[1]
	default:
		return nil, nil
	}
	if d.equal.Op != llvm.ICmp || d.equal.Pred != llvm.IntEQ || d.equal.Args[0] != llvm.Value(d.lost) || !isZero(d.equal.Args[1]) {
		return nil, nil
	}
	cont := d.cont.Instrs
	if len(cont) < 3 || cont[0].Op != llvm.Phi || len(cont[0].Args) != 2 || cont[1].Op != llvm.And || cont[1].Args[1] != llvm.Value(cont[0]) || cont[1].Args[0] != d.valid {
		return nil, nil
	}
	phi := cont[0]
	for i, from := range phi.Blocks {
		switch from {
		case b:
			if k, ok := constInt(phi.Args[i]); !ok || k != 1 {
				return nil, nil
			}
		case d.check:
			if phi.Args[i] != llvm.Value(d.equal) {
				return nil, nil
			}
		default:
			return nil, nil
		}
	}
	if end := cont[2]; end.Op != llvm.Br || len(end.Blocks) != 2 || end.Args[0] != llvm.Value(cont[1]) || c.traps[end.Blocks[1]] != 20 {
		return nil, nil
	}
	return d, phi
}

func isZero(v llvm.Value) bool {
	k, ok := constInt(v)
	return ok && k == 0
}

// sanitizerBranch imports a branch that belongs to a check; it says whether
// the branch was one.
func (f *function) sanitizerBranch(i *llvm.Inst, from *llvm.Block) bool {
	if d := f.checks.diamonds[i]; d != nil {
		f.flattenDiamond(d)
		f.jump(from, d.cont)
		f.b.Br(f.target(d.cont))
		return true
	}
	kind, ok := f.checks.traps[i.Blocks[1]]
	if !ok || i.Blocks[0] == i.Blocks[1] {
		return false
	}
	if f.check(kind, i.Args[0], i.Blocks[0]); f.ended {
		return true
	}
	f.jump(from, i.Blocks[0])
	f.b.Br(f.target(i.Blocks[0]))
	return true
}

// flattenDiamond computes the value of the diamond's phi without a branch: the amount
// is masked where it is invalid, because then it does not matter.
func (f *function) flattenDiamond(d *diamond) {
	if d.zeros != nil {
		f.vals[d.zeros] = []ir.Value{f.b.Bin(ir.And, f.b.Bin(ir.Sub, f.scalar(d.zeros.Args[0]), f.scalar(d.zeros.Args[1])), f.scalar(d.zeros.Args[0]))}
	}
	lost := f.b.Bin(ir.LShr, f.scalar(d.lost.Args[0]), f.scalar(d.lost.Args[1]))
	none := f.b.Cmp(ir.Eq, lost, f.zero(f.b.Func.Type(lost)))
	if k, ok := constInt(d.valid); !ok || k == 0 {
		none = f.b.Cmp(ir.Or, f.not(f.scalar(d.valid)), none)
	}
	f.vals[d.cont.Instrs[0]] = []ir.Value{none}
}

// check emits the check of a trap of kind k; next is the block of the
// operation.
func (f *function) check(k uint64, condition llvm.Value, next *llvm.Block) {
	f.guarded.note(k, next)
	switch k {
	case 0:
		f.overflowCheck(condition, "+")
	case 21:
		f.overflowCheck(condition, "-")
	case 12:
		f.overflowCheck(condition, "*")
	case 13:
		f.overflowCheck(condition, "unary -")
	case 7:
		f.emitCheck(ir.ImplicitConversion, condition, conversionText(condition))
	case 18:
		f.emitCheck(ir.ArrayIndex, condition, "index outside of the array")
	case 3:
		f.divisionCheck(condition, next)
	case 20:
		if and, ok := condition.(*llvm.Inst); ok && and.Op == llvm.And {
			if phi, ok := and.Args[1].(*llvm.Inst); ok && f.checks.phis[phi] != nil {
				f.emitCheck(ir.ShiftRange, and.Args[0], "shift amount out of range")
				f.emitCheck(ir.ShiftOverflow, and.Args[1], "left shift of a signed value loses bits")
				return
			}
		}
		f.emitCheck(ir.ShiftRange, condition, "shift out of range")
	case 24:
		f.emitCheck(ir.ArrayLength, condition, "the length of the array is not positive")
		if positive, ok := condition.(*llvm.Inst); ok && positive.Op == llvm.ICmp && positive.Pred == llvm.IntSGT && isZero(positive.Args[1]) {
			f.checks.lengths[positive.Args[0]] = positive
		}
	default:
		f.emitCheck(ir.ReachedUnreachable, condition, "undefined behaviour")
	}
}

// length is how many elements an array of variable length has: none if one of its lengths is not positive, for
// nothing in it can be used then. (clang takes a negative length for a large one, which would be an object.)
func (f *function) length(v llvm.Value) ir.Value {
	i, ok := v.(*llvm.Inst)
	if !ok || i.Op != llvm.ZExt && i.Op != llvm.SExt && i.Op != llvm.Mul {
		return f.positive(v, v)
	}
	if i.Op == llvm.Mul {
		return f.b.Bin(ir.Mul, f.length(i.Args[0]), f.length(i.Args[1]))
	}
	return f.positive(v, i.Args[0])
}

// positive is v, or 0 where the length that v was extended from is not positive.
func (f *function) positive(v, length llvm.Value) ir.Value {
	n := f.scalar(v)
	if condition := f.checks.lengths[length]; condition != nil {
		return f.b.Select(f.scalar(condition), n, f.zero(f.b.Func.Type(n)))
	}
	return n
}

// overflowCheck is of signed or of unsigned arithmetic: the trap is the same, the intrinsic
// that it looks at is not.
func (f *function) overflowCheck(condition llvm.Value, operator string) {
	if isTrue(condition) {
		return
	}
	base := ""
	if not, ok := condition.(*llvm.Inst); ok && not.Op == llvm.Xor {
		if part, ok := not.Args[0].(*llvm.Inst); ok && part.Op == llvm.ExtractValue {
			if call, ok := part.Args[0].(*llvm.Inst); ok && call.Op == llvm.Call {
				if callee, ok := call.Callee.(*llvm.Function); ok {
					base = intrinsicBase(callee.Name)
				}
			}
		}
	}
	switch {
	case strings.HasPrefix(base, "u"):
		f.emitCheck(ir.UnsignedOverflow, condition, "unsigned overflow in "+operator)
	case strings.HasPrefix(base, "s") || !f.im.opts.requested(ir.UnsignedOverflow):
		if !f.disabled(ir.Overflow) { // that of a division stays: its result is not defined
			f.emitCheck(ir.Overflow, condition, ir.OverflowIn(operator))
		}
	default:
		f.unsupported("the check of an overflow of which it is not clear whether it is signed")
	}
}

// zeroDivisors are what clang's warnings say of constant divisors.
func zeroDivisors(warnings string) []Diagnostic {
	if !strings.Contains(warnings, " by zero") {
		return nil
	}
	return slices.DeleteFunc(parseDiagnostics(warnings), func(d Diagnostic) bool {
		return !strings.HasPrefix(d.Message, "division by zero") && !strings.HasPrefix(d.Message, "remainder by zero")
	})
}

// dividesByZero says that clang has warned of the operation at this place.
func (f *function) dividesByZero() bool {
	if len(f.im.opts.zeroDivisors) == 0 || int(f.pos.File) >= len(f.im.p.Files) {
		return false
	}
	file := absolute(f.im.p.Files[f.pos.File])
	return slices.ContainsFunc(f.im.opts.zeroDivisors, func(d Diagnostic) bool {
		return int(f.pos.Line) == d.Line && int(f.pos.Col) == d.Col && absolute(d.File) == file
	})
}

func absolute(file string) string {
	if path, err := filepath.Abs(file); err == nil {
		return path
	}
	return file
}

// conversionText says what an implicit conversion changes. Its check compares the operand with the result as a number
// of the operand's type, or the signs of both, or both.
func conversionText(condition llvm.Value) string {
	c, _ := condition.(*llvm.Inst)
	if c != nil && c.Op == llvm.And {
		c, _ = c.Args[1].(*llvm.Inst)
	}
	if c != nil && c.Op == llvm.ICmp {
		if back, ok := c.Args[0].(*llvm.Inst); ok && (back.Op == llvm.ZExt || back.Op == llvm.SExt) {
			return fmt.Sprintf("implicit conversion from %d to %d bits changes the value", back.Type.Bits, back.Args[0].ValueType().Bits)
		}
	}
	return "implicit conversion changes the sign"
}

// nanCheck is that of a floating-point operation: its result is NaN only if an operand is.
func (f *function) nanCheck(op ir.Op, result ir.Value, operands ...ir.Value) {
	if !f.im.opts.requested(ir.NotANumber) || f.b.Func.Model || f.disabled(ir.NotANumber) {
		return
	}
	operator, ok := map[ir.Op]string{ir.FAdd: "+", ir.FSub: "-", ir.FMul: "*", ir.FDiv: "/", ir.FRem: "fmod", ir.FSqrt: "sqrt", ir.FMA: "fma"}[op]
	if !ok {
		return
	}
	fine := f.not(f.b.Cmp(ir.FUno, result, result))
	for _, x := range operands {
		fine = f.b.Cmp(ir.Or, fine, f.b.Cmp(ir.FUno, x, x))
	}
	f.b.Check(ir.NotANumber, fine, "the result is NaN: "+operator)
}

// divisionCheck splits divisor != 0 from the overflow of MIN / -1. The second
// part is missing where the type of the operands rules it out.
func (f *function) divisionCheck(condition llvm.Value, next *llvm.Block) {
	operator, folded := "/", true
	for _, i := range next.Instrs {
		if i.Op == llvm.SRem || i.Op == llvm.URem {
			operator = "%"
		}
		if i.Op == llvm.SRem || i.Op == llvm.URem || i.Op == llvm.SDiv || i.Op == llvm.UDiv {
			folded = false
			break
		}
	}
	division := map[string]string{"/": "division by zero", "%": "remainder by zero"}[operator]
	if and, ok := condition.(*llvm.Inst); ok && and.Op == llvm.And {
		if notZero, ok := and.Args[0].(*llvm.Inst); ok && notZero.Op == llvm.ICmp && notZero.Pred == llvm.IntNE && isZero(notZero.Args[1]) {
			f.emitCheck(ir.DivByZero, notZero, division)
			f.emitCheck(ir.Overflow, and.Args[1], ir.OverflowIn(operator))
			return
		}
		if k, ok := constInt(and.Args[0]); ok { // a constant divisor
			if k == 0 {
				f.emitCheck(ir.DivByZero, and.Args[0], division)
			}
			f.emitCheck(ir.Overflow, and.Args[1], ir.OverflowIn(operator))
			return
		}
	}
	if folded && isZero(condition) && !f.dividesByZero() { // of constants
		f.unsupported("a division of constants, by zero or with a quotient that does not fit, which clang has folded")
		return
	}
	f.emitCheck(ir.DivByZero, condition, division)
}

// emitCheck emits a check unless its condition is constantly true.
func (f *function) emitCheck(kind ir.CheckKind, condition llvm.Value, text string) {
	f.folded = f.folded || failsAlways(condition)
	if isTrue(condition) || kind != ir.Overflow && f.disabled(kind) {
		return
	}
	f.b.Check(kind, f.scalar(condition), text)
	f.checked()
}

// isTrue recognises a condition that clang has folded, in whole or in part.
func isTrue(v llvm.Value) bool {
	if k, ok := constInt(v); ok {
		return k == 1
	}
	or, ok := v.(*llvm.Inst)
	return ok && or.Op == llvm.Or && or.Type.Kind == llvm.IntType && or.Type.Bits == 1 && (isTrue(or.Args[0]) || isTrue(or.Args[1]))
}

// flagChecks emits what a module compiled elsewhere still says about undefined
// behaviour: divisors that must not be zero, signed operations that must not
// overflow, shift amounts that must be in range.
//
// The last two only in functions that were not optimised. A violated nsw or an
// amount out of range is not undefined behaviour in LLVM but makes the result
// poison, and passes execute such operations speculatively, where the result
// is not used: a check would fail on correct programs. The note says that
// nothing is known of these operations then.
func (f *function) flagChecks(i *llvm.Inst, x, y ir.Value) {
	switch i.Op {
	case llvm.UDiv, llvm.SDiv, llvm.URem, llvm.SRem:
	default:
		if !f.src.Unoptimised {
			if i.NSW || i.Op == llvm.Shl || i.Op == llvm.LShr || i.Op == llvm.AShr {
				f.im.notes.add(Note{Kind: NoteUncheckedArithmetic, Name: f.src.Name, Text: "was optimised elsewhere: signed overflow and shift amounts are not checked in it", Pos: f.b.Func.Pos})
			}
			return
		}
	}
	switch i.Op {
	case llvm.Add, llvm.Sub, llvm.Mul:
		if i.NSW {
			f.signedCheck(i.Op, x, y)
		}
	case llvm.Shl, llvm.LShr, llvm.AShr:
		bits := f.b.Func.Type(x).Bits
		f.b.Check(ir.ShiftRange, f.b.Cmp(ir.ULt, y, f.b.Const(bits, uint64(bits))), "shift amount out of range")
		if i.Op == llvm.Shl && i.NSW { // what a multiplication by a power of two becomes
			back := f.b.Bin(ir.AShr, f.b.Bin(ir.Shl, x, y), y)
			f.b.Check(ir.Overflow, f.b.Cmp(ir.Eq, back, x), ir.OverflowIn("<<"))
		}
	case llvm.UDiv, llvm.SDiv, llvm.URem, llvm.SRem:
		f.divisorCheck(i.Op, x, y)
	}
}

// signedCheck is that of a signed sum or product.
func (f *function) signedCheck(op llvm.Opcode, x, y ir.Value) {
	predicate := map[llvm.Opcode]ir.Op{llvm.Add: ir.SAddOvf, llvm.Sub: ir.SSubOvf, llvm.Mul: ir.SMulOvf}[op]
	operator := map[llvm.Opcode]string{llvm.Add: "+", llvm.Sub: "-", llvm.Mul: "*"}[op]
	f.b.Check(ir.Overflow, f.not(f.b.Cmp(predicate, x, y)), ir.OverflowIn(operator))
}

// divisorCheck is that of a division or remainder.
func (f *function) divisorCheck(op llvm.Opcode, x, y ir.Value) {
	t := f.b.Func.Type(x)
	f.b.Check(ir.DivByZero, f.b.Cmp(ir.Ne, y, f.zero(t)), "division by zero")
	if op == llvm.SDiv || op == llvm.SRem {
		least := f.b.ConstBV(t, bv.New(t.Bits, 1).Shl(bv.New(t.Bits, uint64(t.Bits-1))))
		minusOne := f.b.ConstBV(t, bv.New(t.Bits, 0).Not())
		f.b.Check(ir.Overflow, f.b.Cmp(ir.Or, f.b.Cmp(ir.Ne, x, least), f.b.Cmp(ir.Ne, y, minusOne)), ir.OverflowIn("/"))
	}
}
