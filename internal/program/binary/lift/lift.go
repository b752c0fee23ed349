// Package lift makes C of x86-64 programs: each function of the binary that main can reach becomes
// one of C, with variables for registers and places of the stack, and objects for data. The front end
// reads it as any C program.
//
//	image (bytes, symbols) -> control.go (blocks) -> stack.go (where the frame is), flags.go (who set
//	the flags), analysis.go (which registers are used) -> instruction.go, writer.go (statements)
//
// The C means what the processor does: values are unsigned, comparisons are cast. Where that is
// not known the C calls __assay_unsupported, with the address, the instruction, and the reason. A proof
// therefore has to show that no run comes there.
//
// Invariants. 1: Places of a frame are variables of C of their own; no access reaches from one into
// another, for accesses by addresses that are not known are checked to lie within an object
// (__assay_valid_range). So the return address and the saved registers, which are no objects, are as
// they were, where stack.go says so; a return where it does not is not supported. 2: Behind a call, registers
// that the callee may have changed are arbitrary, but for its result. 3: What is read before it was written is
// arbitrary, and no refutation may rest on it.
//
// What is assumed is in docs/soundness.md: results of functions in eax and the like have zeros above, the
// calling convention [psABI, 3.2] of functions of libraries, and that the symbol table is right about
// where objects begin and end.
package lift

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/image"
	"assay/internal/program/binary/x86"
)

// Error says why a program cannot be lifted at all, and what to do.
type Error struct{ File, Reason string }

func (e *Error) Error() string { return e.File + ": " + e.Reason }

// program is one that is being lifted.
type program struct {
	options   Options
	image     *image.Image
	functions *symbols
	debug     *debugging
	data      *data
	bodies    map[uint64]*body
	names     map[uint64]string // C names of functions
	taken     map[string]bool
	declared  map[string]prototype
	// results are registers other than rax that a caller uses behind a call of a function.
	results map[uint64]uint32
	// labels are those of C that stand before instructions.
	labels map[uint64]string
	// pointees are the functions whose addresses are mentioned.
	pointees map[uint64]bool
	// uses says which helpers of library.go are called.
	uses map[string]bool
	// vectors says that registers of 128 bits are used.
	vectors bool
	// callbacks are functions that the library calls, by name.
	callbacks map[string]string
	// externals are objects of the C library that are used.
	externals map[string]bool
	// constructors run before main, destructors behind it, the last one first.
	constructors, destructors []uint64
	// compares says that addresses of data are compared or subtracted.
	compares bool
}

// Options say how a program is lifted.
type Options struct {
	// Entry is the function to begin with, or its address as 0x…; empty is main.
	Entry string
	// Memory leaves accesses that are not within an object to the checks of C, where else they are not supported.
	Memory bool
	// Frees does so with calls of free that are not of the start of a live object.
	Frees bool
	// Label is a label, symbol or address that the C has as a label (LabelName).
	Label string
	// Unmodelled says whether a function that the file does not define may be called although nothing is
	// known of it: it changes nothing and returns anything. nil is never.
	Unmodelled func(name string) bool
}

// Program is C that was made of a binary.
type Program struct {
	Text string
	// Entry is the function where runs start.
	Entry string
	// Stack is what activations take of the stack, by function of the C.
	Stack map[string]Usage
}

// C is the program as C, from its entry on. The error is an *Error or an *image.Error.
func C(file string, content []byte, o Options) (string, error) {
	p, err := Lift(file, content, o)
	if err != nil {
		return "", err
	}
	return p.Text, nil
}

// Lift is C, with what has to be known of it. The error is an *Error or an *image.Error.
func Lift(file string, content []byte, o Options) (*Program, error) {
	m, err := image.Load(file, content)
	if err != nil {
		return nil, err
	}
	p := &program{options: o, image: m, functions: newSymbols(m), debug: readDebugging(m, content), bodies: map[uint64]*body{},
		names: map[uint64]string{}, taken: map[string]bool{}, declared: map[string]prototype{}, results: map[uint64]uint32{}, uses: map[string]bool{}, externals: map[string]bool{}, callbacks: map[string]string{}, labels: map[uint64]string{}, pointees: map[uint64]bool{}}
	start, err := p.functions.entry(cmp.Or(o.Entry, "main"))
	if err != nil {
		return nil, err
	}
	if o.Label != "" {
		places, err := p.functions.label(p.debug, o.Label)
		if err != nil {
			return nil, err
		}
		for _, x := range places {
			p.labels[x.Address] = LabelName(o.Label)
		}
	}
	p.data = newData(m, p.debug, p.name, p.functionAddress)
	p.constructors, p.destructors = p.arrays(".preinit_array", ".init_array"), p.arrays(".fini_array")
	if n := len(p.constructors) + len(p.destructors); n > maxConstructors {
		return nil, &Error{file, fmt.Sprintf("%d functions are to run before and behind main: the file is damaged", n)}
	}
	for _, a := range append(slices.Clone(p.constructors), p.destructors...) {
		p.discover(a)
	}
	p.discover(start.Address)
	if err := p.checkLabels(); err != nil {
		return nil, err
	}
	for _, a := range slices.Sorted(maps.Keys(p.bodies)) {
		p.names[a] = p.name(p.bodies[a].name)
	}
	p.data.spread()
	p.analyse()
	usages := map[string]Usage{}
	for a, f := range p.bodies {
		if f.blocks != nil && !p.means(f.name) {
			usages[p.cName(a)] = p.stackOf(f)
		}
	}
	return &Program{Text: p.text(), Entry: p.cName(start.Address), Stack: usages}, nil
}

// cName is the name of a function in the C.
func (p *program) cName(a uint64) string {
	if f := p.bodies[a]; f.name == "main" {
		return "main"
	}
	return p.names[a]
}

// name is a C name that nothing else has.
func (p *program) name(wanted string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, wanted)
	if clean == "" || clean[0] >= '0' && clean[0] <= '9' || keywords[clean] {
		clean = "_" + clean
	}
	name := clean
	for k := 1; p.taken[name]; k++ {
		name = fmt.Sprintf("%s_%d", clean, k)
	}
	p.taken[name] = true
	return name
}

// keywords are words that are no names in what is written.
var keywords = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`auto break case char const continue default do double else enum extern float for goto if inline int long
		register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
		u8 u16 u32 u64 i8 i16 i32 i64 argc argv abort read_only`) {
		out[w] = true
	}
	for r := range register(registers) {
		out["_"+r.String()], out[vectorName(xmm0+r)] = true, true
	}
	for w := range strings.FieldsSeq("x128 y64 x32 y32 x16 y16 x8 y8 f32 f64 w32 z32 h8 k8 h16 h32 hf VECTOR") {
		out[w] = true
	}
	return out
}()

// discover finds all functions that are called.
func (p *program) discover(start uint64) {
	for work := []uint64{start}; len(work) > 0; {
		a := work[len(work)-1]
		work = work[:len(work)-1]
		if p.bodies[a] != nil {
			continue
		}
		if n, external := p.functions.external(a); external {
			p.bodies[a] = p.newBody(&function{name: n, address: a})
			continue
		}
		if n := p.functions.name(a); p.means(n) {
			p.bodies[a] = p.newBody(&function{name: n, address: a})
			continue // its meaning is that of its name
		}
		f := p.explore(a)
		p.bodies[a] = f
		for _, i := range f.at {
			if t, ok := p.callee(f, i); ok {
				work = append(work, t)
			}
		}
		work = append(work, p.refers(f)...)
	}
}

// means says whether the meaning of a function is that of its name.
func (p *program) means(name string) bool {
	_, known := p.meaning(name)
	return known
}

func (p *program) newBody(f *function) *body {
	out := &body{function: f, at: map[uint64]*x86.Instruction{}, entry: map[uint64]*frame{}, setters: map[uint64]setters{}, needed: map[uint64]bool{},
		effects: map[uint64]effect{}, live: map[uint64]uint32{}, points: map[uint64]bool{}, taken: map[int64]bool{}, stores: map[uint64]flagSet{}, formats: map[uint64]string{}}
	for _, b := range f.blocks {
		for k := range b.code {
			i := &b.code[k]
			out.at[i.Address] = i
			out.points[i.Address] = p.image.Pointers[i.Next()-addressBytes] || p.image.Constants[i.Next()-constantBytes]
		}
	}
	return out
}

// explore finds the blocks of a function: as many jumps go through tables, more of it is found, in which there may be
// others.
func (p *program) explore(a uint64) *body {
	tables := map[uint64]*table{}
	for {
		f := p.newBody(p.functions.explore(a, tables))
		if !f.computes() {
			return f
		}
		for at, i := range f.at {
			if f.effects[at] = p.effect(f, i); i.Op == x86asm.CALL { // callees are not known yet
				f.effects[at] = effect{f.effects[at].reads, f.effects[at].writes | callerSaved}
			}
		}
		if p.flow(f); !p.resolve(f) {
			return p.newBody(f.function)
		}
	}
}

// computes says whether there is a jump for which no table is known.
func (f *body) computes() bool {
	for at, i := range f.at {
		if _, direct := i.Target(); i.Op == x86asm.JMP && !direct && f.tables[at] == nil {
			return true
		}
	}
	return false
}

// text is the whole program.
func (p *program) text() string {
	var functions, out, objects strings.Builder
	for _, a := range slices.Sorted(maps.Keys(p.bodies)) {
		f := p.bodies[a]
		if !p.means(f.name) && f.blocks != nil {
			w := &writer{p: p, f: f, needed: f.needed}
			functions.WriteString(w.function())
		}
	}
	p.data.write(&objects) // knows then what is used
	fmt.Fprintf(&out, "/* %s, lifted. */\n", strings.ReplaceAll(p.image.File, "*/", "* /"))
	out.WriteString(prelude)
	if p.vectors {
		out.WriteString(vectorTypes)
	}
	if p.uses["string"] {
		out.WriteString(checkedString)
	}
	if p.uses["heap"] {
		out.WriteString("_Bool __assay_heap_start(const void *);\n")
	}
	if p.uses["callbacks"] {
		out.WriteString(callbackTypes)
	}
	if p.uses["blocks"] {
		out.WriteString("void *__assay_stack_save(void);\nvoid __assay_stack_restore(void *);\n")
	}
	if p.uses["guard"] {
		out.WriteString("static u64 guard$; /* of the stack: what is at fs:0x28 */\n")
	}
	for _, n := range slices.Sorted(maps.Keys(p.externals)) {
		fmt.Fprintf(&out, "extern %s%s;\n", externalData[n], n)
	}
	for _, n := range slices.Sorted(maps.Keys(p.declared)) {
		if x := p.declared[n]; x.text == "" && n != "abort" {
			out.WriteString(x.declaration(n))
		}
	}
	for _, a := range slices.Sorted(maps.Keys(p.bodies)) {
		if f := p.bodies[a]; f.name != "main" {
			if !p.means(f.name) && f.blocks != nil {
				out.WriteString(p.signature(f) + ";\n")
			}
		} else {
			out.WriteString("int main();\n")
		}
	}
	for _, n := range slices.Sorted(maps.Keys(p.callbacks)) {
		out.WriteString(p.callbacks[n])
	}
	out.WriteString(objects.String())
	return out.String() + "\n" + functions.String() + p.outside()
}

const prelude = `typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long u64;
typedef signed char i8; typedef short i16; typedef int i32; typedef long i64;
_Bool __assay_valid_range(const void *, u64);
_Noreturn void __assay_unsupported(const char *);
u64 __assay_approximate_size(const char *);
_Noreturn void abort(void);
static u64 result$_rdx, result$_xmm0_0, result$_xmm0_1, result$_xmm1_0, result$_xmm1_1; /* behind a call */
`

// signature is how a function is declared.
func (p *program) signature(f *body) string {
	if f.name == "main" {
		if f.arguments&(1<<rdi|1<<rsi) != 0 {
			return "int main(int argc, char **argv)"
		}
		return "int main(void)"
	}
	var parameters []string
	for _, r := range parameterRegisters {
		if f.arguments&(1<<r) != 0 {
			parameters = append(parameters, fmt.Sprintf("u64 _%v", r))
		}
	}
	for r := xmm0; r < xmm0+vectorParameters; r++ {
		if f.arguments&(1<<r) != 0 {
			parameters = append(parameters, fmt.Sprintf("u64 low$%s, u64 high$%s", vectorName(r), vectorName(r)))
		}
	}
	for k := range f.incoming {
		parameters = append(parameters, fmt.Sprintf("u64 argument$%d", k))
	}
	if len(parameters) == 0 {
		parameters = []string{"void"}
	}
	return fmt.Sprintf("u64 %s(%s)", p.names[f.address], strings.Join(parameters, ", "))
}
