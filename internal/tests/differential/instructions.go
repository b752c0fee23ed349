package differential

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file makes random programs in LLVM IR: what optimisers write and clang at -O0 does not
// (vectors, odd widths, intrinsics), so that the importer's meaning of each instruction and
// each intrinsic is compared with that of the compiled program.
//
//	(1) No run is undefined, and no value is poison: divisors are odd and positive, shift amounts are
//	    below the width, floats are small where they become integers.
//	(2) No value that may be seen is a NaN, or a zero of unspecified sign: their bits are not specified. Constants
//	    may be NaNs.
//	(3) What is left at the end passes through observe().

// observer defines observe; the compiled program prints what passes.
const observer = `#ifdef NATIVE
int printf(const char *, ...);
#endif
unsigned long long observe(unsigned long long value, const char *name) {
#ifdef NATIVE
	printf("observed %llx %s\n", value, name);
#endif
	return value;
}
`

// irGenerator writes a program.
type irGenerator struct {
	*rand.Rand
	text     strings.Builder
	declared map[string]bool
	values   map[irType][]string
	names    int
}

// irType is a scalar (Lanes 0) or vector type of LLVM.
type irType struct {
	Bits  int
	Float bool
	Lanes int
}

func (t irType) element() irType { return irType{Bits: t.Bits, Float: t.Float} }

func (t irType) String() string {
	s := fmt.Sprintf("i%d", t.Bits)
	if t.Float {
		s = map[int]string{32: "float", 64: "double", 80: "x86_fp80"}[t.Bits]
	}
	if t.Lanes > 0 {
		return fmt.Sprintf("<%d x %s>", t.Lanes, s)
	}
	return s
}

// suffix is the type in the name of an intrinsic.
func (t irType) suffix() string {
	s := fmt.Sprintf("i%d", t.Bits)
	if t.Float {
		s = fmt.Sprintf("f%d", t.Bits)
	}
	if t.Lanes > 0 {
		return fmt.Sprintf("v%d%s", t.Lanes, s)
	}
	return s
}

// with is the type with other elements.
func (t irType) with(element irType) irType {
	element.Lanes = t.Lanes
	return element
}

var (
	irBool      = irType{Bits: 1}
	irWord      = irType{Bits: 64}
	irExtended  = irType{Bits: 80, Float: true}
	irIntegers  = []irType{{Bits: 8}, {Bits: 16}, {Bits: 32}, {Bits: 64}, {Bits: 7}, {Bits: 13}, {Bits: 33}, {Bits: 32, Lanes: 4}, {Bits: 64, Lanes: 2}, {Bits: 16, Lanes: 8}}
	irFloats    = []irType{{Bits: 32, Float: true}, {Bits: 64, Float: true}, {Bits: 32, Float: true, Lanes: 4}, {Bits: 64, Float: true, Lanes: 2}, irExtended}
	irPredicate = []string{"eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"}
	irOrdering  = []string{"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"}
)

// Instructions writes a random program in LLVM IR into the directory.
func Instructions(dir string, seed uint64) (Program, error) {
	g := &irGenerator{Rand: rand.New(rand.NewPCG(seed, 3)), declared: map[string]bool{}, values: map[irType][]string{}}
	g.program()
	p := Program{Name: fmt.Sprintf("instructions%d.ll", seed)}
	for name, text := range map[string]string{p.Name: g.text.String(), "observe.c": observer} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return p, err
		}
		p.Files = append(p.Files, file)
	}
	slices.Sort(p.Files)
	return p, nil
}

// program writes main.
func (g *irGenerator) program() {
	var body strings.Builder
	g.text, body = body, g.text
	g.line("%%memory = alloca [64 x i8], align 16")
	g.line("call void @llvm.memset.p0.i64(ptr %%memory, i8 0, i64 64, i1 false)")
	g.declare("void", "llvm.memset.p0.i64", "ptr", "i8", "i64", "i1")
	for range 3 {
		g.define(irWord, "call i64 @__VERIFIER_nondet_ulonglong()")
	}
	g.declare("i64", "__VERIFIER_nondet_ulonglong")
	for _, t := range []irType{{Bits: 8}, {Bits: 32}, {Bits: 33}} {
		g.define(t, "trunc i64 %s to %v", g.last(irWord), t)
	}
	for range 12 + g.IntN(24) {
		g.step()
	}
	for t, list := range g.sorted() {
		for _, v := range list[max(0, len(list)-2):] {
			g.observe(t, v)
		}
	}
	g.declare("i64", "observe", "i64", "ptr")
	instructions := g.text.String()
	g.text.Reset()
	fmt.Fprintf(&g.text, "@name = private constant [2 x i8] c\"x\\00\"\n\n")
	for _, d := range slices.Sorted(maps.Keys(g.declared)) {
		fmt.Fprintln(&g.text, d)
	}
	fmt.Fprintf(&g.text, "\ndefine i32 @main() {\nentry:\n%s  ret i32 0\n}\n", instructions)
}

// sorted goes over the values by type, in an order that does not change.
func (g *irGenerator) sorted() func(func(irType, []string) bool) {
	return func(yield func(irType, []string) bool) {
		for _, t := range slices.Concat([]irType{irBool}, irIntegers, irFloats) {
			if list := g.values[t]; len(list) > 0 && !yield(t, list) {
				return
			}
		}
	}
}

func (g *irGenerator) line(format string, args ...any) {
	fmt.Fprintf(&g.text, "  "+format+"\n", args...)
}

func (g *irGenerator) declare(result, name string, parameters ...string) {
	g.declared[fmt.Sprintf("declare %s @%s(%s)", result, name, strings.Join(parameters, ", "))] = true
}

// emit writes an instruction and returns its name.
func (g *irGenerator) emit(format string, args ...any) string {
	g.names++
	name := fmt.Sprintf("%%v%d", g.names)
	g.line("%s = %s", name, fmt.Sprintf(format, args...))
	return name
}

// define writes an instruction whose value others may use.
func (g *irGenerator) define(t irType, format string, args ...any) string {
	v := g.emit(format, args...)
	if t.Float {
		v = g.number(t, v)
	}
	g.keep(t, v)
	return v
}

func (g *irGenerator) keep(t irType, v string) { g.values[t] = append(g.values[t], v) }

// number is a float that is no NaN, and no negative zero.
func (g *irGenerator) number(t irType, v string) string {
	one, zero := g.splat(t, irFloat(t, 1)), g.splat(t, irFloat(t, 0))
	nan := g.emit("fcmp uno %v %s, %s", t, v, v)
	v = g.emit("select %v %s, %v %s, %v %s", t.with(irBool), nan, t, one, t, v)
	return g.emit("fadd %v %s, %s", t, v, zero)
}

// splat is the constant with that element everywhere.
func (g *irGenerator) splat(t irType, element string) string {
	if t.Lanes == 0 {
		return element
	}
	return "<" + strings.Repeat(fmt.Sprintf("%v %s, ", t.element(), element), t.Lanes-1) + fmt.Sprintf("%v %s>", t.element(), element)
}

// constant is a random constant.
func (g *irGenerator) constant(t irType) string {
	if t.Lanes > 0 {
		var list []string
		for range t.Lanes {
			list = append(list, fmt.Sprintf("%v %s", t.element(), g.constant(t.element())))
		}
		return "<" + strings.Join(list, ", ") + ">"
	}
	if !t.Float {
		most := ^uint64(0) >> (64 - t.Bits)
		n := []uint64{0, 1, 2, most, most >> 1, most>>1 + 1, g.Uint64() & most}[g.IntN(7)]
		return fmt.Sprint(n)
	}
	x := []float64{0, 1, -1.5, 0.1, 1e30, -1e-30, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat32, 16777217, float64(g.IntN(2000)) / 8}[g.IntN(12)]
	if t.Bits == 32 {
		x = float64(float32(x))
	}
	return irFloat(t.element(), x)
}

// irFloat is a constant, which LLVM writes in a way of its own for extended numbers.
func irFloat(t irType, x float64) string {
	switch {
	case math.IsNaN(x) && t.Bits == 80:
		return "0xK7FFFC000000000000000"
	case math.IsNaN(x):
		return "0x7FF8000000000000"
	case t.Bits != 80:
		return fmt.Sprintf("0x%016X", math.Float64bits(x))
	}
	sign := math.Float64bits(x) >> 63 << 15
	switch x = math.Abs(x); {
	case x == 0:
		return fmt.Sprintf("0xK%04X%016X", sign, 0)
	case math.IsInf(x, 0):
		return fmt.Sprintf("0xK%04X%016X", sign|0x7fff, uint64(1)<<63)
	}
	m, e := math.Frexp(x)
	return fmt.Sprintf("0xK%04X%016X", sign|uint64(e+16382), uint64(math.Ldexp(m, 64)))
}

// last is a value of the type, likely one of the last.
func (g *irGenerator) last(t irType) string {
	list := g.values[t]
	if len(list) == 0 || g.IntN(6) == 0 {
		return g.constant(t)
	}
	return list[max(0, len(list)-1-min(g.IntN(len(list)), g.IntN(len(list))))]
}

// observe passes a value to observe().
func (g *irGenerator) observe(t irType, v string) {
	if t.Lanes > 0 {
		for k := range t.Lanes {
			g.observe(t.element(), g.emit("extractelement %v %s, i32 %d", t, v, k))
		}
		return
	}
	if t == irExtended {
		bits := g.emit("bitcast x86_fp80 %s to i80", v)
		g.observe(irWord, g.emit("trunc i80 %s to i64", bits))
		v = g.emit("lshr i80 %s, 64", bits)
		g.observe(irWord, g.emit("trunc i80 %s to i64", v))
		return
	}
	if t.Float {
		as := irType{Bits: t.Bits}
		t, v = as, g.emit("bitcast %v %s to %v", t, v, as)
	}
	if t.Bits < 64 {
		v = g.emit("zext %v %s to i64", t, v)
	}
	g.line("call i64 @observe(i64 %s, ptr @name)", v)
}
