package ir

// The text form of modules, for tests, dumps and bug reports. It looks like
// LLVM's but is our own, and it is exact: Parse(Print(m)) equals m for every
// module that Verify accepts, up to nil against empty slices.
//
//	module 64 entry @main
//	file "f.c"
//
//	global @g size 8 align 4 cname "g" init "\x01" stride 4 cell 4 !0:1:5
//	  reloc 0 @h 4
//
//	declare @putchar(%1: i32) -> i32
//
//	func @main() {
//	  var "x" "unsigned int" 32 !0:4:7
//	entry:
//	  %1 = nondet i32 input "__VERIFIER_nondet_int" !0:4:11
//	  dbg 0, %1
//	  br loop
//	loop:
//	  %4 = phi i32 [%1, entry], [%6, loop]
//	  %5 = slt i1 %4, i32 10
//	  %6 = add i32 %4, i32 1
//	  condbr %5, loop, b3
//	b3:
//	  check assertion %5 "assertion x < 10" !0:9:3
//	  halt exit
//	}
//
// One line holds one definition. A block is named by its label, bN if it has no
// name of its own. An instruction is: its value, the mnemonic, a mode (kind of
// check, rounding, ...), the type of the result if there is one, operands,
// attributes, the position !file:line:column. Constants and addresses stand
// where they are used, with their type; they have numbers like all values, which
// are written down (before the first block) only where the parser would not find
// them by itself: a definition without a number gets the smallest one that is not
// written anywhere in the function, in the order of the text.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/internal/run/lazyregexp"
)

// Print is the text form of the module.
func Print(m *Module) string {
	p := &printer{m: m, index: m.Index()}
	p.header()
	for _, g := range m.Globals {
		p.global(g)
	}
	for _, f := range m.Funcs {
		p.function(f)
	}
	return p.String()
}

// PrintFunc is the text form of one function of m.
func PrintFunc(m *Module, f *Func) string {
	p := &printer{m: m, index: m.Index()}
	p.function(f)
	return strings.TrimPrefix(p.String(), "\n")
}

// PrintInstr is the text form of one instruction of f, for messages.
func PrintInstr(m *Module, f *Func, v Value) string {
	p := &printer{m: m, index: &Index{}}
	p.begin(f)
	p.instr(v)
	return strings.TrimSpace(p.String())
}

type printer struct {
	strings.Builder
	m     *Module
	index *Index

	f      *Func
	labels []string
	// inline says of a constant that its uses show its literal.
	inline []bool
	// numberVoids says that instructions without result show their number.
	numberVoids bool
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

var plainName = lazyregexp.New(`^[A-Za-z_.$][A-Za-z0-9_.$-]*$`)

func symbol(s string) string {
	if plainName.MatchString(s) {
		return "@" + s
	}
	return "@" + strconv.Quote(s)
}

func (p *printer) header() {
	p.printf("module %d entry %s", p.m.PointerBits, symbol(p.m.Entry))
	if p.m.Optimized {
		p.printf(" optimized")
	}
	p.printf("\n")
	for _, f := range p.m.Files {
		p.printf("file %q\n", f)
	}
	for _, c := range p.m.Constructors {
		p.printf("constructor %s\n", symbol(c))
	}
}

func (p *printer) pos(q Pos) {
	if q != (Pos{}) {
		p.printf(" !%d:%d:%d", q.File, q.Line, q.Col)
	}
}

func (p *printer) layout(l Layout) {
	if l.Stride != 0 {
		p.printf(" stride %d", l.Stride)
	}
	if l.Cell != 0 {
		p.printf(" cell %d", l.Cell)
	}
	if l.Pointers {
		p.printf(" pointers")
	}
}

func (p *printer) global(g *Global) {
	p.printf("\nglobal %s size %d", symbol(g.Name), g.Size)
	if g.Align != 0 {
		p.printf(" align %d", g.Align)
	}
	if g.Constant {
		p.printf(" const")
	}
	if g.External {
		p.printf(" external")
	}
	if g.CName != "" {
		p.printf(" cname %q", g.CName)
		if g.CType != (CType{}) {
			p.printf(" type")
			p.ctype(g.CType)
		}
	}
	if g.Init != nil {
		p.printf(" init %q", strings.TrimRight(string(g.Init), "\x00"))
	}
	p.layout(g.Layout)
	if g.Counter != "" {
		p.printf(" counter %s", symbol(g.Counter))
	}
	p.pos(g.Pos)
	p.printf("\n")
	for _, r := range g.Relocs {
		target := "null"
		if r.Target != "" {
			target = symbol(r.Target)
		}
		p.printf("  reloc %d %s %d\n", r.Offset, target, r.Addend)
	}
}

func (p *printer) function(f *Func) {
	p.begin(f)
	word := "func"
	if f.IsDecl() {
		word = "declare"
	}
	p.printf("\n%s %s(", word, symbol(f.Name))
	for i, a := range f.Params {
		if i > 0 {
			p.printf(", ")
		}
		p.printf("%%%d: %s", a, f.Type(a))
		p.pos(f.Values[a].Pos)
	}
	if f.Variadic {
		if len(f.Params) > 0 {
			p.printf(", ")
		}
		p.printf("...")
	}
	p.printf(")")
	for i, t := range f.Results {
		p.printf("%s %s", [2]string{" ->", ","}[min(i, 1)], t)
	}
	if f.Model {
		p.printf(" model")
	}
	p.pos(f.Pos)
	if f.IsDecl() && len(f.Vars) == 0 && len(f.Values) <= len(f.Params)+1 {
		p.printf("\n")
		return
	}
	p.printf(" {\n")
	p.body(f)
	p.printf("}\n")
}

func (p *printer) ctype(t CType) {
	p.printf(" %q %d", t.Name, t.Bits)
	for _, flag := range []struct {
		on   bool
		word string
	}{{t.Signed, "signed"}, {t.Float, "float"}, {t.Ptr, "pointer"}, {t.Bool, "bool"}} {
		if flag.on {
			p.printf(" %s", flag.word)
		}
	}
}

func (p *printer) body(f *Func) {
	last := len(f.Values) - 1
	for last > 0 && f.Values[last].Op == OpInvalid {
		last--
	}
	if last < len(f.Values)-1 {
		p.printf("  values %d\n", len(f.Values)-1)
	}
	for _, v := range f.Vars {
		p.printf("  var %q", v.Name)
		p.ctype(v.Type)
		p.pos(v.Pos)
		p.printf("\n")
	}
	if !p.numbersAreImplied(true, false) {
		p.numberVoids = !p.numbersAreImplied(false, false)
		for v := range f.Values {
			if IsConst(f.Values[v].Op) {
				p.constant(Value(v))
			}
		}
	}
	for b := 1; b < len(f.Blocks); b++ {
		p.block(BlockID(b))
	}
}

func (p *printer) block(b BlockID) {
	blk := &p.f.Blocks[b]
	p.WriteString(p.labels[b])
	if blk.Name != "" && blk.Name != p.labels[b] {
		p.printf(" %q", blk.Name)
	}
	if !p.canonicalPreds(b) {
		for i, q := range blk.Preds {
			p.printf("%s %s", [2]string{" preds", ","}[min(i, 1)], p.label(q))
		}
	}
	p.printf(":\n")
	for _, v := range blk.Instrs {
		p.instr(v)
	}
}

// canonicalPreds says whether the predecessors are in the order that
// ComputePreds gives: ascending, for all edges of one block come together.
func (p *printer) canonicalPreds(b BlockID) bool {
	preds := p.f.Blocks[b].Preds
	for i := 1; i < len(preds); i++ {
		if preds[i-1] > preds[i] {
			return false
		}
	}
	return true
}

func (p *printer) label(b BlockID) string {
	if b > 0 && int(b) < len(p.labels) {
		return p.labels[b]
	}
	return "b" + strconv.Itoa(int(b))
}

// constant writes the line that gives a constant its number.
func (p *printer) constant(v Value) {
	d := p.f.Def(v)
	p.printf("  %%%d = %s", v, d.Op)
	switch d.Op {
	case Const:
		p.printf(" %s %s", d.Type, literal(d))
	case GlobalAddr, FuncAddr:
		p.printf(" %s", symbol(d.Sym))
	}
	p.pos(d.Pos)
	p.printf("\n")
}

// literal is the value of a Const: a float as a decimal if that is exact, else
// its bits in hexadecimal; an integer as an unsigned decimal.
func literal(d *Def) string {
	if d.Type.Kind != Float {
		return d.Const.Unsigned().String()
	}
	var x float64
	switch d.Type.Bits {
	case 32:
		x = float64(math.Float32frombits(uint32(d.Const.Uint64())))
	case 64:
		x = math.Float64frombits(d.Const.Uint64())
	default:
		x = math.NaN()
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprintf("0x%x", d.Const.Uint64())
	}
	s := strconv.FormatFloat(x, 'g', -1, int(d.Type.Bits))
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// operand is the text of a use of v.
func (p *printer) operand(v Value) string {
	if v > 0 && int(v) < len(p.inline) && p.inline[v] {
		switch d := p.f.Def(v); d.Op {
		case Const:
			return d.Type.String() + " " + literal(d)
		case Null:
			return "null"
		default:
			return symbol(d.Sym)
		}
	}
	return "%" + strconv.Itoa(int(v))
}

// list writes operands and labels, separated by commas.
func (p *printer) list(items ...string) {
	for i, s := range items {
		p.printf("%s%s", [2]string{" ", ", "}[min(i, 1)], s)
	}
}

func (p *printer) instr(v Value) {
	d := p.f.Def(v)
	sig := signature{result: '-', args: "*"}
	if d.Op < opMax {
		sig = signatures[d.Op]
	}
	p.printf("  ")
	if d.HasResult() || p.numberVoids {
		p.printf("%%%d = ", v)
	}
	p.WriteString(d.Op.String())
	if sig.result != '-' {
		p.printf(" %s", d.Type)
	}
	switch sig.aux {
	case auxCheck:
		p.printf(" %s", CheckKind(d.Aux))
	case auxRounding:
		p.printf(" %s", RoundingMode(d.Aux))
	case auxNondet:
		p.printf(" %s", NondetKind(d.Aux))
	case auxHalt:
		p.printf(" %s", HaltKind(d.Aux))
	case auxCede:
		if d.Aux == Cede {
			p.printf(" cede")
		}
	case auxHavoc:
		if d.Aux == Indeterminate {
			p.printf(" indeterminate")
		}
	case auxVar:
		p.printf(" %d", d.Aux)
		if len(d.Args) > 0 {
			p.printf(",")
		}
	}
	args := make([]string, len(d.Args), len(d.Args)+len(d.Succs)+1)
	for i, a := range d.Args {
		args[i] = p.operand(a)
	}
	switch d.Op {
	case Call:
		callee := symbol(d.Sym)
		if d.Sym == "" && len(args) > 0 {
			callee, args = args[0], args[1:]
			if callee[0] != '%' { // @f alone would be a direct call
				callee = "(" + callee + ")"
			}
		}
		p.printf(" %s(%s)", callee, strings.Join(args, ", "))
	case Phi:
		for i := range args {
			from := "?"
			if preds := p.f.Blocks[d.Block].Preds; i < len(preds) {
				from = p.label(preds[i])
			}
			args[i] = "[" + args[i] + ", " + from + "]"
		}
		p.list(args...)
	default:
		for i, s := range d.Succs {
			l := p.label(s)
			if d.Op == Switch && i > 0 && i <= len(d.Cases) {
				l = d.Cases[i-1].Unsigned().String() + ": " + l
			}
			args = append(args, l)
		}
		if sig.aux == auxIndex {
			args = append(args, strconv.FormatInt(d.Aux, 10))
		}
		p.list(args...)
	}
	if sig.sym == symText && (d.Sym != "" || d.Op != Nondet && d.Op != Havoc && d.Op != Alloca && d.Op != Malloc) {
		p.printf(" %q", d.Sym)
	}
	if sig.aux == auxAlign && d.Aux != 0 {
		p.printf(" align %d", d.Aux)
	}
	p.layout(d.Layout)
	p.pos(d.Pos)
	p.printf("\n")
}
