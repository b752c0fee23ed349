package frontend

import (
	"maps"
	"slices"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports calls of LLVM's intrinsics. The name of an intrinsic
// without the types at its end decides; any that is not listed here is
// unsupported, with its name.

// intrinsicBase strips "llvm." and the type suffixes.
func intrinsicBase(name string) string {
	name = strings.TrimPrefix(name, "llvm.")
	for {
		i := strings.LastIndexByte(name, '.')
		if i < 0 || !isTypeSuffix(name[i+1:]) {
			return name
		}
		name = name[:i]
	}
}

// isTypeSuffix recognises i32, f64, p0, v4f32 and the like.
func isTypeSuffix(s string) bool {
	s = strings.TrimPrefix(s, "sl_")
	for _, prefix := range []string{"nxv", "v", "a"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok && len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
			return true
		}
	}
	for _, prefix := range []string{"i", "f", "p", "bf", "ppcf"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok && rest != "" && strings.Trim(rest, "0123456789") == "" {
			return true
		}
	}
	return false
}

var unaryIntrinsics = map[string]ir.Op{
	"ctpop": ir.Ctpop, "ctlz": ir.Ctlz, "cttz": ir.Cttz, "bswap": ir.Bswap, "bitreverse": ir.Bitreverse,
	"fabs": ir.FAbs, "sqrt": ir.FSqrt,
}

var binaryIntrinsics = map[string]ir.Op{"copysign": ir.FCopySign, "minnum": ir.FMin, "maxnum": ir.FMax}

var ternaryIntrinsics = map[string]ir.Op{"fshl": ir.FShl, "fshr": ir.FShr, "fma": ir.FMA}

var overflowIntrinsics = map[string][2]ir.Op{
	"sadd.with.overflow": {ir.Add, ir.SAddOvf}, "uadd.with.overflow": {ir.Add, ir.UAddOvf},
	"ssub.with.overflow": {ir.Sub, ir.SSubOvf}, "usub.with.overflow": {ir.Sub, ir.USubOvf},
	"smul.with.overflow": {ir.Mul, ir.SMulOvf}, "umul.with.overflow": {ir.Mul, ir.UMulOvf},
}

// minMaxIntrinsics: the comparison that makes the first operand the result.
var minMaxIntrinsics = map[string]llvm.Predicate{"smax": llvm.IntSGT, "smin": llvm.IntSLT, "umax": llvm.IntUGT, "umin": llvm.IntULT}

var roundings = map[string]ir.RoundingMode{
	"floor": ir.RoundDown, "ceil": ir.RoundUp, "trunc": ir.RoundTowardZero, "round": ir.RoundNearestAway,
	"rint": ir.RoundNearestEven, "nearbyint": ir.RoundNearestEven, "roundeven": ir.RoundNearestEven,
}

// unknownMeaning says what a call has that changes its meaning in a way that is not
// modelled: an operand bundle, or an attribute of the callee; "" if nothing.
func unknownMeaning(i *llvm.Inst, callee *llvm.Function) string {
	assume := callee != nil && callee.Intrinsic && intrinsicBase(callee.Name) == "assume"
	for _, b := range i.Bundles {
		if !assume {
			return "a call with the operand bundle " + b.Tag
		}
	}
	if callee != nil && callee.Attribute != "" {
		return "a call of a function with the attribute " + callee.Attribute
	}
	return ""
}

func (f *function) intrinsic(i *llvm.Inst, name string) {
	base := intrinsicBase(name)
	switch base {
	case "assume":
		f.assumption(i)
		return
	case "experimental.noalias.scope.decl", "donothing", "sideeffect", "prefetch", "va_end", "invariant.end",
		"pseudoprobe", "annotation", "var.annotation":
		if base == "annotation" {
			f.vals[i] = f.operand(i.Args[0])
		}
		return
	}
	if problem := f.representable(i); problem != "" {
		f.unsupported(problem)
		return
	}
	arg := func(k int) ir.Value { return f.scalar(i.Args[k]) }
	switch base {
	case "memcpy", "memcpy.inline", "memmove":
		if isNondet(i.Args[1]) {
			f.arbitrary(arg(0), arg(2))
			return
		}
		f.touch()
		f.unlessDisabled(arg(0), arg(2))
		f.unlessDisabled(arg(1), arg(2))
		f.b.Op(ir.MemCpy, ir.Type{}, arg(0), arg(1), arg(2))
	case "memset", "memset.inline":
		f.touch()
		f.unlessDisabled(arg(0), arg(2))
		f.b.Op(ir.MemSet, ir.Type{}, arg(0), arg(1), arg(2))
	case "lifetime.start":
		p := arg(1)
		if f.fresh[p] && f.current.Index == 0 {
			return // alive and arbitrary since its creation
		}
		f.b.Op(ir.LifetimeStart, ir.Type{}, p)
		f.fresh[p] = true
	case "lifetime.end":
		f.touch()
		f.b.Op(ir.LifetimeEnd, ir.Type{}, arg(1))
	case "stacksave":
		f.vals[i] = []ir.Value{f.b.Op(ir.StackSave, f.im.m.PtrType())}
	case "stackrestore":
		f.touch()
		f.b.Op(ir.StackRestore, ir.Type{}, arg(0))
	case "va_start":
		f.touch()
		if f.arguments != 0 {
			f.startList(arg(0))
		} else {
			f.b.Op(ir.VaStart, ir.Type{}, arg(0))
		}
	case "va_copy":
		size := uint64(24)
		if f.im.p.PointerBits == 32 {
			size = 4
		}
		f.touch()
		f.b.Op(ir.MemCpy, ir.Type{}, arg(0), arg(1), f.b.Word(size))
	case "trap", "debugtrap":
		f.aborts()
	case "ubsantrap":
		k, _ := constInt(i.Args[0])
		f.check(k, falseConst, f.current)
		f.halt(ir.HaltAbort)
	default:
		if list, ok := f.pureIntrinsic(i, base); ok {
			f.vals[i] = list
			return
		}
		f.unsupported("the LLVM intrinsic " + name)
	}
}

// assumption imports llvm.assume: __builtin_assume and its kin. What does not hold there
// is undefined behaviour, as unreachable code is, but the run goes on. Of its operand
// bundles __builtin_assume_aligned makes one, and optimisers others; those promise what
// we do not use.
func (f *function) assumption(i *llvm.Inst) {
	check := func(condition ir.Value, text string) {
		if c, ok := f.isConst(condition); !ok || c.IsZero() {
			f.b.Check(ir.ReachedUnreachable, condition, text)
		}
	}
	if f.representable(i) != "" {
		return
	}
	check(f.scalar(i.Args[0]), "an assumption that the program makes (__builtin_assume) does not hold")
	for _, b := range i.Bundles {
		switch {
		case b.Tag == "align" && len(b.Args) >= 2:
			align, ok := constInt(b.Args[1])
			if !ok || align == 0 || align&(align-1) != 0 {
				continue
			}
			word := f.im.m.WordType()
			at := f.b.Op(ir.PtrToInt, word, f.scalar(b.Args[0]))
			if len(b.Args) > 2 {
				at = f.b.Bin(ir.Sub, at, f.resize(f.scalar(b.Args[2]), word.Bits))
			}
			check(f.b.Cmp(ir.Eq, f.b.Bin(ir.And, at, f.b.Word(align-1)), f.b.Word(0)), "a pointer is not aligned as the program assumes")
		case b.Tag == "nonnull" && len(b.Args) == 1:
			check(f.b.Cmp(ir.Ne, f.scalar(b.Args[0]), f.b.Null()), "a pointer is null, against what the program assumes")
		}
	}
}

// arbitrary makes a range of memory arbitrary.
func (f *function) arbitrary(p, size ir.Value) {
	if f.fresh[p] {
		return
	}
	f.touch()
	if d := f.b.Func.Def(p); d.Op == ir.Alloca {
		if _, constant := f.isConst(d.Args[0]); !constant {
			size = d.Args[0] // clang's length of the array may be negative: then it has no bytes (length)
		}
	}
	f.b.Emit(ir.Def{Op: ir.Havoc, Args: []ir.Value{p, size}, Aux: ir.Indeterminate})
}

// copyingIntrinsics do not look at the bits of their operands.
var copyingIntrinsics = []string{"expect", "ssa.copy", "arithmetic.fence", "is.constant"}

// pureIntrinsic imports the intrinsics that only compute.
func (f *function) pureIntrinsic(i *llvm.Inst, base string) ([]ir.Value, bool) {
	operands := func(k int) []ir.Value { return f.operand(i.Args[k]) }
	if !slices.Contains(copyingIntrinsics, base) && slices.ContainsFunc(i.Args, func(v llvm.Value) bool { return isExtended(v.ValueType()) }) {
		return nil, false
	}
	if op, ok := unaryIntrinsics[base]; ok {
		if poison, given := constInt(lastArgument(i)); given && poison == 1 && (op == ir.Ctlz || op == ir.Cttz) {
			return f.each(operands(0), func(v ir.Value) ir.Value { return f.countZeros(op, v) }), true
		}
		return f.each(operands(0), func(v ir.Value) ir.Value { return f.b.Bin(op, v) }), true
	}
	if op, ok := binaryIntrinsics[base]; ok {
		return f.zip(operands(0), operands(1), func(x, y ir.Value) ir.Value {
			r := f.b.Bin(op, x, y)
			if op == ir.FCopySign || f.b.Func.Model {
				return r
			}
			// Of zeros of both signs either one is the result. (Models take care of it themselves.)
			first := f.b.Nondet(ir.BoolType, ir.NondetApproximate, base)
			return f.b.Select(f.b.Op(ir.FEq, ir.BoolType, x, y), f.b.Select(first, x, y), r)
		}), true
	}
	if op, ok := ternaryIntrinsics[base]; ok {
		x, y, z := operands(0), operands(1), operands(2)
		list := make([]ir.Value, len(x))
		for k := range x {
			list[k] = f.b.Bin(op, x[k], y[k], z[k])
		}
		return list, true
	}
	if ops, ok := overflowIntrinsics[base]; ok {
		x, y := operands(0), operands(1)
		values := f.zip(x, y, func(x, y ir.Value) ir.Value { return f.b.Bin(ops[0], x, y) })
		return append(values, f.zip(x, y, func(x, y ir.Value) ir.Value { return f.b.Cmp(ops[1], x, y) })...), true
	}
	if p, ok := minMaxIntrinsics[base]; ok {
		return f.zip(operands(0), operands(1), func(x, y ir.Value) ir.Value { return f.b.Select(f.compareInts(p, x, y), x, y) }), true
	}
	if mode, ok := roundings[base]; ok {
		return f.each(operands(0), func(v ir.Value) ir.Value {
			d := ir.Def{Op: ir.FRound, Type: f.b.Func.Type(v), Args: []ir.Value{v}, Aux: int64(mode)}
			if base == "rint" || base == "nearbyint" {
				d.Sym = currentMode
			}
			return f.b.Emit(d)
		}), true
	}
	if compute, ok := computingIntrinsics[base]; ok {
		return compute(f, i)
	}
	return nil, false
}

// computingIntrinsics are those that only compute, beside those of the tables above. The
// results are false if an argument is not as it is expected.
var computingIntrinsics map[string]func(f *function, i *llvm.Inst) ([]ir.Value, bool)

func init() {
	first := func(f *function, i *llvm.Inst) ([]ir.Value, bool) { return f.operand(i.Args[0]), true }
	computingIntrinsics = map[string]func(f *function, i *llvm.Inst) ([]ir.Value, bool){
		"expect": first, "expect.with.probability": first, "launder.invariant.group": first, "strip.invariant.group": first,
		"ssa.copy": first, "ptr.annotation": first, "threadlocal.address": first, "arithmetic.fence": first,
		"invariant.start": func(f *function, i *llvm.Inst) ([]ir.Value, bool) { return []ir.Value{f.b.Null()}, true },
		"is.constant":     func(f *function, i *llvm.Inst) ([]ir.Value, bool) { return []ir.Value{f.b.Const(1, 0)}, true },
		"objectsize":      (*function).unknownSize,
		"abs":             (*function).absolute,
		"fmuladd":         (*function).unfused,
		"is.fpclass": func(f *function, i *llvm.Inst) ([]ir.Value, bool) {
			mask, ok := constInt(i.Args[1])
			if !ok {
				return nil, false
			}
			return f.each(f.operand(i.Args[0]), func(v ir.Value) ir.Value { return f.floatClass(v, mask) }), true
		},
		"uadd.sat": func(f *function, i *llvm.Inst) ([]ir.Value, bool) {
			return f.zip(f.operand(i.Args[0]), f.operand(i.Args[1]), func(x, y ir.Value) ir.Value {
				return f.b.Select(f.b.Cmp(ir.UAddOvf, x, y), f.complement(f.zero(f.b.Func.Type(x))), f.b.Bin(ir.Add, x, y))
			}), true
		},
		"usub.sat": func(f *function, i *llvm.Inst) ([]ir.Value, bool) {
			return f.zip(f.operand(i.Args[0]), f.operand(i.Args[1]), func(x, y ir.Value) ir.Value {
				return f.b.Select(f.b.Cmp(ir.USubOvf, x, y), f.zero(f.b.Func.Type(x)), f.b.Bin(ir.Sub, x, y))
			}), true
		},
	}
}

// ComputingIntrinsics are the names of all intrinsics that only compute, without "llvm." and types.
func ComputingIntrinsics() []string {
	names := slices.Concat(
		slices.Collect(maps.Keys(unaryIntrinsics)), slices.Collect(maps.Keys(binaryIntrinsics)), slices.Collect(maps.Keys(ternaryIntrinsics)),
		slices.Collect(maps.Keys(overflowIntrinsics)), slices.Collect(maps.Keys(minMaxIntrinsics)), slices.Collect(maps.Keys(roundings)),
		slices.Collect(maps.Keys(computingIntrinsics)))
	slices.Sort(names)
	return names
}

// unknownSize is objectsize: the value that means unknown, -1, or 0 if the minimum is asked for.
func (f *function) unknownSize(i *llvm.Inst) ([]ir.Value, bool) {
	t := f.im.flatten(i.Type).scalars[0].Type
	if least, ok := constInt(i.Args[1]); ok && least == 1 {
		return []ir.Value{f.zero(t)}, true
	}
	return []ir.Value{f.complement(f.zero(t))}, true
}

func (f *function) absolute(i *llvm.Inst) ([]ir.Value, bool) {
	return f.each(f.operand(i.Args[0]), func(v ir.Value) ir.Value {
		zero := f.zero(f.b.Func.Type(v))
		return f.b.Select(f.b.Cmp(ir.SLt, v, zero), f.b.Bin(ir.Sub, zero, v), v)
	}), true
}

// unfused is fmuladd as -ffp-contract=off makes it.
func (f *function) unfused(i *llvm.Inst) ([]ir.Value, bool) {
	x, y, z := f.operand(i.Args[0]), f.operand(i.Args[1]), f.operand(i.Args[2])
	list := make([]ir.Value, len(x))
	for k := range x {
		list[k] = f.b.Bin(ir.FAdd, f.b.Bin(ir.FMul, x[k], y[k]), z[k])
	}
	return list, true
}

func lastArgument(i *llvm.Inst) llvm.Value { return i.Args[len(i.Args)-1] }

// countZeros is __builtin_clz or __builtin_ctz, which are undefined for 0: no violation
// may depend on what they return.
func (f *function) countZeros(op ir.Op, v ir.Value) ir.Value {
	t := f.b.Func.Type(v)
	defined := f.b.Cmp(ir.Ne, v, f.zero(t))
	name := map[ir.Op]string{ir.Ctlz: "__builtin_clz", ir.Cttz: "__builtin_ctz"}[op]
	f.b.Check(ir.Precondition, defined, name+" of 0")
	return f.b.Select(defined, f.b.Bin(op, v), f.b.Nondet(t, ir.NondetApproximate, name))
}

func (f *function) zip(x, y []ir.Value, op func(x, y ir.Value) ir.Value) []ir.Value {
	out := make([]ir.Value, len(x))
	for k := range x {
		out[k] = op(x[k], y[k])
	}
	return out
}
