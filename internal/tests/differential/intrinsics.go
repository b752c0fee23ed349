package differential

import (
	"fmt"
	"slices"
	"strings"
)

// This file makes the instructions of random programs in LLVM IR.

// step writes one instruction, or what one needs.
func (g *irGenerator) step() {
	t := irIntegers[g.IntN(len(irIntegers))]
	x := irFloats[g.IntN(len(irFloats))]
	switch g.IntN(14) {
	case 0, 1, 2:
		g.arithmetic(t)
	case 3:
		c := g.define(t.with(irBool), "icmp %s %v %s, %s", irPredicate[g.IntN(len(irPredicate))], t, g.last(t), g.last(t))
		g.define(t, "select %v %s, %v %s, %v %s", t.with(irBool), c, t, g.last(t), t, g.last(t))
	case 4:
		g.conversion(t)
	case 5, 6:
		op := []string{"fadd", "fsub", "fmul", "fdiv", "frem"}[g.IntN(5)]
		g.define(x, "%s %v %s, %s", op, x, g.last(x), g.last(x))
	case 7:
		c := g.define(x.with(irBool), "fcmp %s %v %s, %s", irOrdering[g.IntN(len(irOrdering))], x, g.last(x), g.last(x))
		g.define(x, "select %v %s, %v %s, %v %s", x.with(irBool), c, x, g.last(x), x, g.last(x))
	case 8:
		g.floatConversion(x)
	case 9:
		g.lanes(t)
	case 10:
		g.access(t)
	default:
		i := irIntrinsics[g.IntN(len(irIntrinsics))]
		i.call(g, i.name)
	}
}

// arithmetic writes a binary operation on integers.
func (g *irGenerator) arithmetic(t irType) {
	a, b := g.last(t), g.last(t)
	op := []string{"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem", "sdiv", "srem", "freeze"}[g.IntN(14)]
	switch op {
	case "shl", "lshr", "ashr":
		b = g.emit("urem %v %s, %s", t, b, g.splat(t, fmt.Sprint(t.Bits)))
	case "udiv", "urem", "sdiv", "srem": // odd, and positive as a signed number
		b = g.emit("or %v %s, %s", t, b, g.splat(t, "1"))
		b = g.emit("and %v %s, %s", t, b, g.splat(t, fmt.Sprint(uint64(1)<<(t.Bits-1)-1)))
	case "freeze":
		g.define(t, "freeze %v %s", t, a)
		return
	}
	g.define(t, "%s %v %s, %s", op, t, a, b)
}

// conversion writes one between integers.
func (g *irGenerator) conversion(t irType) {
	v := g.last(t)
	for _, u := range irIntegers {
		if u.Lanes != t.Lanes || u.Bits == t.Bits || g.IntN(3) > 0 {
			continue
		}
		op := "trunc"
		if u.Bits > t.Bits {
			op = []string{"zext", "sext"}[g.IntN(2)]
		}
		g.define(u, "%s %v %s to %v", op, t, v, u)
		return
	}
	if size := t.Bits * max(1, t.Lanes); size == 128 {
		for _, u := range irIntegers {
			if u.Lanes > 0 && u != t && g.IntN(2) == 0 {
				g.define(u, "bitcast %v %s to %v", t, v, u)
				return
			}
		}
	}
}

// floatConversion writes one from or to floats.
func (g *irGenerator) floatConversion(x irType) {
	integer := irType{Bits: x.Bits, Lanes: x.Lanes}
	kinds := 6
	if x == irExtended { // its bits are no integer that others use
		integer, kinds = irIntegers[g.IntN(7)], 3
		switch single, double := irFloats[0], irFloats[1]; g.IntN(4) {
		case 0:
			g.define(x, "fpext float %s to x86_fp80", g.last(single))
		case 1:
			g.define(x, "fpext double %s to x86_fp80", g.last(double))
		case 2:
			g.define(single, "fptrunc x86_fp80 %s to float", g.last(x))
		case 3:
			g.define(double, "fptrunc x86_fp80 %s to double", g.last(x))
		}
	}
	v := g.last(x)
	switch g.IntN(kinds) {
	case 0:
		g.define(x, "%s %v %s to %v", []string{"sitofp", "uitofp"}[g.IntN(2)], integer, g.last(integer), x)
	case 1: // what is not small becomes 1
		g.declare(x.String(), "llvm.fabs."+x.suffix(), x.String())
		size := g.emit("call %v @llvm.fabs.%s(%v %s)", x, x.suffix(), x, v)
		small := g.emit("fcmp olt %v %s, %s", x, size, g.splat(x, irFloat(x, 50)))
		v = g.emit("select %v %s, %v %s, %v %s", x.with(irBool), small, x, v, x, g.splat(x, irFloat(x, 1)))
		g.define(integer, "fptosi %v %s to %v", x, v, integer)
		v = g.emit("call %v @llvm.fabs.%s(%v %s)", x, x.suffix(), x, v)
		g.define(integer, "fptoui %v %s to %v", x, v, integer)
	case 2:
		g.define(x, "fneg %v %s", x, v)
	case 3:
		g.define(x, "bitcast %v %s to %v", integer, g.last(integer), x)
	case 4:
		if len(g.values[x]) > 0 { // no constant: it may be a NaN
			g.define(integer, "bitcast %v %s to %v", x, g.values[x][len(g.values[x])-1], integer)
		}
	case 5:
		if single, double := (irType{Bits: 32, Float: true}), (irType{Bits: 64, Float: true}); g.IntN(2) == 0 {
			g.define(double, "fpext float %s to double", g.last(single))
		} else {
			g.define(single, "fptrunc double %s to float", g.last(double))
		}
	}
}

// lanes writes an instruction on the elements of a vector, or of a structure.
func (g *irGenerator) lanes(t irType) {
	if t.Lanes == 0 {
		pair := g.emit("insertvalue { i64, %v } undef, %v %s, 1", t, t, g.last(t))
		pair = g.emit("insertvalue { i64, %v } %s, i64 %s, 0", t, pair, g.last(irWord))
		g.define(t, "extractvalue { i64, %v } %s, 1", t, pair)
		g.define(irWord, "extractvalue { i64, %v } %s, 0", t, pair)
		return
	}
	element := t.element()
	switch g.IntN(3) {
	case 0:
		g.define(element, "extractelement %v %s, i32 %d", t, g.last(t), g.IntN(t.Lanes))
	case 1:
		g.define(t, "insertelement %v %s, %v %s, i32 %d", t, g.last(t), element, g.last(element), g.IntN(t.Lanes))
	default:
		var mask []string
		for range t.Lanes {
			mask = append(mask, fmt.Sprintf("i32 %d", g.IntN(2*t.Lanes)))
		}
		g.define(t, "shufflevector %v %s, %v %s, <%d x i32> <%s>", t, g.last(t), t, g.last(t), t.Lanes, strings.Join(mask, ", "))
	}
}

// access writes a store and a load, or a copy.
func (g *irGenerator) access(t irType) {
	if t.Bits%8 != 0 || t == irExtended {
		return
	}
	size := t.Bits / 8 * max(1, t.Lanes)
	at := func(size int) string {
		return g.emit("getelementptr inbounds [64 x i8], ptr %%memory, i64 0, i64 %d", g.IntN(65-size))
	}
	switch g.IntN(3) {
	case 0:
		name := []string{"memcpy", "memmove"}[g.IntN(2)]
		from, to := g.IntN(16), 32+g.IntN(16)
		g.declare("void", "llvm."+name+".p0.p0.i64", "ptr", "ptr", "i64", "i1")
		p := g.emit("getelementptr i8, ptr %%memory, i64 %d", from)
		q := g.emit("getelementptr i8, ptr %%memory, i64 %d", to)
		g.line("call void @llvm.%s.p0.p0.i64(ptr %s, ptr %s, i64 %d, i1 false)", name, q, p, 1+g.IntN(16))
	case 1:
		g.line("call void @llvm.memset.p0.i64(ptr %s, i8 %s, i64 %d, i1 false)", at(8), g.last(irType{Bits: 8}), 1+g.IntN(8))
	}
	g.line("store %v %s, ptr %s, align 1", t, g.last(t), at(size))
	g.define(t, "load %v, ptr %s, align 1", t, at(size))
}

// irIntrinsic is an intrinsic that only computes, and how it is called.
type irIntrinsic struct {
	name string
	call func(g *irGenerator, name string)
}

// irIntrinsics are those that the front end accepts.
var irIntrinsics = slices.Concat(
	calls(irIntegers, 1, "", "ctpop", "bitreverse"),
	calls(irIntegers, 1, "i1 false", "ctlz", "cttz", "abs"),
	calls(irIntegers, 2, "", "smax", "smin", "umax", "umin", "uadd.sat", "usub.sat"),
	calls(irIntegers, 3, "", "fshl", "fshr"),
	calls([]irType{{Bits: 16}, {Bits: 32}, {Bits: 64}, {Bits: 32, Lanes: 4}}, 1, "", "bswap"),
	calls(irFloats, 1, "", "fabs", "sqrt", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "roundeven", "arithmetic.fence"),
	calls(irFloats, 2, "", "copysign", "minnum", "maxnum"),
	calls(irFloats, 3, "", "fma", "fmuladd"),
	overflows("sadd", "uadd", "ssub", "usub", "smul", "umul"),
	[]irIntrinsic{{"is.fpclass", (*irGenerator).floatClass}},
)

// calls are intrinsics that take so many operands of their result's type, and maybe a last one.
func calls(types []irType, operands int, last string, names ...string) (list []irIntrinsic) {
	for _, name := range names {
		list = append(list, irIntrinsic{name, func(g *irGenerator, name string) {
			t := types[g.IntN(len(types))]
			full := "llvm." + name + "." + t.suffix()
			var given, parameters []string
			for range operands {
				given, parameters = append(given, fmt.Sprintf("%v %s", t, g.last(t))), append(parameters, t.String())
			}
			if last != "" {
				given, parameters = append(given, last), append(parameters, strings.Fields(last)[0])
			}
			g.declare(t.String(), full, parameters...)
			g.define(t, "call %v @%s(%s)", t, full, strings.Join(given, ", "))
		}})
	}
	return list
}

// overflows are arithmetic with a flag.
func overflows(names ...string) (list []irIntrinsic) {
	for _, name := range names {
		list = append(list, irIntrinsic{name + ".with.overflow", func(g *irGenerator, name string) {
			t := irIntegers[g.IntN(len(irIntegers))]
			pair := fmt.Sprintf("{ %v, %v }", t, t.with(irBool))
			full := "llvm." + name + "." + t.suffix()
			g.declare(pair, full, t.String(), t.String())
			v := g.emit("call %s @%s(%v %s, %v %s)", pair, full, t, g.last(t), t, g.last(t))
			g.define(t, "extractvalue %s %s, 0", pair, v)
			g.define(t.with(irBool), "extractvalue %s %s, 1", pair, v)
		}})
	}
	return list
}

// floatClass asks for classes of floats.
func (g *irGenerator) floatClass(name string) {
	t := irFloats[g.IntN(len(irFloats))]
	full := "llvm." + name + "." + t.suffix()
	result := t.with(irBool)
	g.declare(result.String(), full, t.String(), "i32 immarg")
	g.define(result, "call %v @%s(%v %s, i32 %d)", result, full, t, g.last(t), g.IntN(1024))
}
