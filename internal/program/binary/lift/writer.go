package lift

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file writes a function, and keeps what is known while it does so.

// body is a function with what is known of it before it is written.
type body struct {
	*function
	at      map[uint64]*x86.Instruction
	entry   map[uint64]*frame  // by block
	setters map[uint64]setters // by block
	needed  map[uint64]bool    // instructions whose flags are used
	stores  map[uint64]flagSet // flags that instructions keep in variables
	formats map[uint64]string  // of printf and the like, by call
	effects map[uint64]effect  // by instruction
	live    map[uint64]uint32  // registers, by instruction: that are used behind it
	layout  []*variable        // of the frame, by offset
	// arguments are the registers that are used before they are set, clobbered those that are
	// set by it or by what it calls.
	arguments, clobbered uint32
	// entered are all that are looked at before they are set, also by a return.
	entered uint32
	points  map[uint64]bool // instructions whose constant is an address
	// taken are places of the frame without a name whose address is used.
	taken map[int64]bool
	// incoming is how many arguments of 8 bytes on the stack are used, wide that they are one object.
	incoming int
	wide     bool
	// overwrites says that the function may write to them.
	overwrites bool
	// forgotten are registers that hold addresses of the frame where that is not known any more: there the variables
	// are looked at.
	forgotten uint32
	// escapes says that it computes with addresses of its frame that are not those of known arrays.
	escapes bool
	whole   string // the variable that is the frame, if it does
	lowest  int64  // of the places without a variable whose address is used; 0 is none
	// growths and levels are of blocks of the stack of a computed size (dynamic.go).
	growths map[uint64]growth
	levels  map[int64]bool
}

// effect is what an instruction does with registers, as sets of bits.
type effect struct{ reads, writes uint32 }

// relocated says whether the constant of an instruction is an address.
func (f *body) relocated(i *x86.Instruction) bool { return f.points[i.Address] }

// writer writes a function as C.
type writer struct {
	p             *program
	f             *body
	frame         *frame
	setters       setters
	block         *block
	index         int // in the block
	needed        map[uint64]bool
	reads, writes uint32
	// dry says that only reads and writes count.
	dry          bool
	reading      bool // an address is used for nothing but a read
	comparing    bool // an address is used for nothing but a comparison
	scan         bool // what is written is not used: all instructions are looked at
	tail         bool // a call is the last thing of the function
	out          strings.Builder
	declarations []string
	temporaries  int
	labelled     bool
	blocksTaken  bool // of the stack, of a computed size
}

func (w *writer) line(format string, args ...any) {
	if !w.dry {
		fmt.Fprintf(&w.out, " "+format, args...)
	}
}

// hidden keeps variables that stand for no C variable out of traces.
const hidden = "__attribute__((nodebug)) "

// declare declares a variable of the function.
func (w *writer) declare(width uint32, name string) { w.declareAs(fmt.Sprintf("u%d", width), name) }

func (w *writer) declareAs(kind, name string) {
	if d := fmt.Sprintf(hidden+"%s %s;", kind, name); !slices.Contains(w.declarations, d) {
		w.declarations = append(w.declarations, d)
	}
}

func (w *writer) temporary(width uint32, value string) string {
	return w.temporaryOf(fmt.Sprintf("u%d", width), value)
}

// temporaryOf names a value within the statements of an instruction.
func (w *writer) temporaryOf(kind, value string) string {
	w.temporaries++
	name := fmt.Sprintf("t$%d", w.temporaries) // no symbol has a $ here
	w.line(hidden+"%s %s = %s;", kind, name, value)
	return name
}

// register is the variable of a register.
func (w *writer) register(r register) string {
	if r == rsp && !w.dry && w.frame.registers[rsp].kind != dynamic {
		refuse("the stack pointer is not known")
	}
	return "_" + r.String()
}

// value is what a register holds, as an expression of type u64.
func (w *writer) value(r register) string {
	if w.dry {
		return "0"
	}
	switch x := w.frame.registers[r]; x.kind {
	case stack:
		return w.stackAddress(x.n)
	case address:
		if _, ok := w.p.data.function(uint64(x.n)); ok || w.p.data.find(uint64(x.n)) != nil {
			return w.p.data.address(uint64(x.n))
		}
		if n, ok := w.p.image.Externals[uint64(x.n)]; ok {
			return fmt.Sprintf(`__assay_approximate_size("the address of %s")`, n)
		}
	}
	return w.register(r)
}

// local is the variable of the frame in which an offset lies, nil if there is none.
func (w *writer) local(at int64) *variable {
	for _, v := range w.f.layout {
		if v.offset <= at && at < v.offset+int64(v.bytes()) {
			return v
		}
	}
	return nil
}

// stackAddress is the address of a place of the frame.
func (w *writer) stackAddress(at int64) string {
	v := w.local(at)
	if w.comparing && at < 0 && (v == nil || v.offset == at) { // the end of an array, more likely than the start of what lies there
		if k := slices.IndexFunc(w.f.layout, func(v *variable) bool { return v.count > 0 && v.offset+int64(v.bytes()) == at }); k >= 0 {
			return fmt.Sprintf("((u64)&%s + %d)", w.f.layout[k].name, w.f.layout[k].bytes())
		}
	}
	if at >= addressBytes && (v == nil || !w.f.wide) && w.f.name != "main" {
		w.f.wide = true
		refuse("an address of arguments on the stack is used as a number")
	}
	if at >= addressBytes && !w.reading {
		w.f.overwrites = true
	}
	if w.f.escapes && at < 0 && (v == nil || v.name != w.f.whole) { // also what is beside it, if an index leads back
		if k := slices.IndexFunc(w.f.layout, func(v *variable) bool { return v.name == w.f.whole }); k >= 0 {
			v = w.f.layout[k]
		}
	}
	if x, ok := w.levelAddress(at); ok {
		return x
	}
	if level, ok := w.f.level(); ok && v == nil && w.f.escapes && at < level {
		if k := slices.IndexFunc(w.f.layout, func(v *variable) bool { return v.name == w.f.whole }); k >= 0 {
			return fmt.Sprintf("((u64)&%s - %d)", w.f.whole, w.f.layout[k].offset-at)
		}
	}
	if v == nil && w.f.escapes && len(w.f.layout) > 0 { // the end of the frame
		if k := slices.IndexFunc(w.f.layout, func(v *variable) bool { return v.name == w.f.whole }); k >= 0 && w.f.layout[k].offset+int64(w.f.layout[k].bytes()) == at {
			return fmt.Sprintf("((u64)&%s + %d)", w.f.whole, w.f.layout[k].bytes())
		}
	}
	if v == nil {
		w.f.escapes, w.f.lowest = true, min(w.f.lowest, at)
		refuse("an address in the stack frame that is not that of a variable is used as a number")
	}
	if v.slot && !w.f.escapes && !w.comparing && !w.f.taken[at] {
		w.f.taken[at] = true
	}
	if at == v.offset {
		return "(u64)&" + v.name
	}
	return fmt.Sprintf("((u64)&%s + %dl)", v.name, at-v.offset)
}

// moves says whether an instruction only gives a register the address of a place of the frame that is no variable: stack.go follows it.
func (w *writer) moves(i *x86.Instruction) bool {
	r, ok := i.Args[0].(x86asm.Reg)
	n, width, _, known := registerOf(r)
	if !ok || !known || width != 64 || w.needed[i.Address] {
		return false
	}
	switch i.Op {
	case x86asm.MOV, x86asm.LEA, x86asm.ADD, x86asm.SUB:
	default:
		return false
	}
	after := w.frame.clone()
	after.step(i, 1<<n)
	x := after.registers[n]
	w.reading = x.kind == stack // the address is followed: who writes by it says so
	if x.kind != stack || n != rsp && (w.f.forgotten&(1<<n) != 0 || n != rbp && w.local(x.n) != nil) {
		return false
	}
	w.writes |= 1 << n
	return true
}

// addressOf is the address of a memory operand, as an expression.
func (w *writer) addressOf(i *x86.Instruction, m x86asm.Mem) string {
	if m.Segment != 0 {
		refuse("memory of a thread (segment %v)", m.Segment)
	}
	var parts []string
	disp := m.Disp
	switch b, _, _, ok := registerOf(m.Base); {
	case m.Base == x86asm.RIP:
		if w.dry {
			return "0"
		}
		return w.p.data.address(i.Next() + uint64(disp))
	case m.Base != 0 && !ok:
		refuse("addresses by %v", m.Base)
	case m.Base != 0:
		w.reads |= 1 << b
		x := w.frame.registers[b]
		switch {
		case w.dry:
		case x.kind == stack:
			if v := w.local(x.n + disp); m.Index != 0 && (v == nil || v.count == 0) {
				w.f.escapes = true
			}
			parts = append(parts, w.stackAddress(x.n+disp))
			disp = 0
		case x.kind == address && m.Index != 0 && w.p.data.find(uint64(x.n)) != nil: // a[i - 1]: the object is that of the register
			parts = append(parts, w.p.data.address(uint64(x.n)))
		case x.kind == address && w.p.data.find(uint64(x.n+disp)) != nil:
			w.p.data.index(uint64(x.n+disp), m)
			parts = append(parts, w.p.data.address(uint64(x.n+disp)))
			disp = 0
		case w.frame.constant(i) && w.p.data.find(uint64(disp)) != nil: // an array at a fixed address, and an index
			w.p.data.index(uint64(disp), m)
			parts = append(parts, w.p.data.address(uint64(disp)), w.register(b))
			disp = 0
		default:
			parts = append(parts, w.register(b))
		}
	case !w.dry && w.frame.constant(i) && w.p.data.find(uint64(disp)) != nil:
		w.p.data.index(uint64(disp), m)
		parts = append(parts, w.p.data.address(uint64(disp)))
		disp = 0
	}
	if x, _, _, ok := registerOf(m.Index); m.Index != 0 {
		if !ok {
			refuse("addresses by %v", m.Index)
		}
		w.reads |= 1 << x
		if index := w.value(x); m.Scale > 1 {
			parts = append(parts, fmt.Sprintf("%d * %s", m.Scale, index))
		} else {
			parts = append(parts, index)
		}
	}
	if disp != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%#xul", uint64(disp)))
	}
	return strings.Join(parts, " + ")
}

// stackGuard is where a thread has the number that compilers put between arrays and the return address.
const stackGuard = 0x28

// externalPlace is the object of the C library at an address, or, of a table that the linker made, the address that
// is there.
func (p *program) externalPlace(a uint64) (string, bool) {
	n, ok := p.image.Externals[a]
	if !ok {
		n, ok = p.image.Copies[a]
	}
	if ok && externalData[n] != "" {
		p.externals[n] = true
		return "*(u64 *)&" + n, true
	}
	s := p.image.SectionAt(a)
	if s == nil || s.Data == nil || !p.image.Pointers[a] || s.Name != ".got" && !constantSection(s.Writable, s.Name) {
		return "", false
	}
	var target uint64
	for k := range uint64(addressBytes) {
		target |= uint64(s.Data[a-s.Address+k]) << (8 * k)
	}
	if n, ok := p.image.Externals[target]; ok && externalData[n] != "" {
		p.externals[n] = true
		return "(u64)&" + n, true
	}
	if n, ok := p.image.Externals[target]; ok {
		if x, ok := p.functionAddress(target); ok {
			return x, true
		}
		return fmt.Sprintf(`__assay_approximate_size("the address of %s")`, n), true
	}
	if s.Name != ".got" {
		return "", false
	}
	return p.data.address(target), true
}

// place is an lvalue for a memory operand.
func (w *writer) place(i *x86.Instruction, m x86asm.Mem, width uint32, write bool) string {
	if m.Segment == x86asm.FS && m.Base == 0 && m.Index == 0 && m.Disp == stackGuard && width == 64 && !write {
		w.p.uses["guard"] = true
		return "guard$"
	}
	if w.dry {
		w.addressOf(i, m)
		return "0"
	}
	at := w.frame.effective(i, m)
	if at.kind == address && width == 64 && (m.Base == x86asm.RIP || m.Base == 0) {
		if x, ok := w.p.externalPlace(uint64(at.n)); ok {
			return x
		}
	}
	switch {
	case at.kind == stack && at.n+int64(width/8) > 0 && at.n < addressBytes:
		refuse("an access of the return address")
	case at.kind == stack:
		v := w.local(at.n)
		if v == nil || at.n+int64(width/8) > v.offset+int64(v.bytes()) {
			w.f.escapes = true
			refuse("an access of the frame that is not within one variable")
		}
		w.f.overwrites = w.f.overwrites || at.n >= addressBytes && write
		return v.part(uint64(at.n-v.offset), width)
	case at.kind == address && w.p.data.find(uint64(at.n)) == nil && m.Base == 0:
		refuse("an access of the address %#x, where nothing is", uint64(at.n))
	case at.kind == address && (m.Base == x86asm.RIP || w.p.data.find(uint64(at.n)) != nil):
		return w.p.data.place(uint64(at.n), width, write)
	}
	w.reading = !write
	address := w.addressOf(i, m)
	w.reading = false
	p := w.temporary(64, address)
	if w.p.options.Memory {
		return fmt.Sprintf("*(u%d *)%s", width, p)
	}
	w.line("if (!__assay_valid_range((void *)%s, %d)) __assay_unsupported(\"0x%x: %v: an access that is not within an object\");", p, width/8, i.Address, i)
	if write {
		w.line("if (read_only(%s)) abort();", p) // it faults
	}
	return fmt.Sprintf("*(u%d *)%s", width, p)
}

func (w *writer) load(i *x86.Instruction, m x86asm.Mem, width uint32) string {
	place := w.place(i, m, width, false)
	if w.dry {
		return "0"
	}
	return fmt.Sprintf("(u%d)%s", width, place)
}

func (w *writer) store(i *x86.Instruction, m x86asm.Mem, width uint32, value string) {
	place := w.place(i, m, width, true)
	w.line("%s = %s;", place, value)
}

// push puts a value on the stack. What the caller gets back stays where it is known to be.
func (w *writer) push(i *x86.Instruction) {
	w.reads |= 1 << rsp
	w.writes |= 1 << rsp
	if i.DataSize == 16 {
		refuse("a push of 16 bits")
	}
	if w.dry {
		w.get(i, i.Args[0], 64)
		return
	}
	sp := w.frame.registers[rsp]
	if sp.kind != stack {
		refuse("the stack pointer is not known")
	}
	if w.frame.value(i, i.Args[0]).isSaved() {
		return
	}
	v := w.local(sp.n - 8)
	if v == nil {
		refuse("a push to a place that is no variable")
	}
	w.line("%s = %s;", v.part(uint64(sp.n-8-v.offset), 64), w.get(i, i.Args[0], 64))
}

// pop takes a value from the stack.
func (w *writer) pop(i *x86.Instruction, r x86asm.Reg) {
	n, width, _, ok := registerOf(r)
	if !ok || width != 64 {
		refuse("a pop of %v", r)
	}
	w.reads |= 1 << rsp
	w.writes |= 1<<rsp | 1<<n
	if w.dry {
		return
	}
	sp := w.frame.registers[rsp]
	if sp.kind != stack {
		refuse("the stack pointer is not known")
	}
	if w.frame.slots[sp.n].isSaved() {
		if w.f.live[i.Address]&(1<<n) != 0 {
			w.setRegister(r, "__assay_approximate_size(\"a register of the caller\")")
		}
		return
	}
	v := w.local(sp.n)
	if v == nil || sp.n+addressBytes > 0 {
		refuse("a pop from a place that is no variable")
	}
	w.setRegister(r, "(u64)"+v.part(uint64(sp.n-v.offset), 64))
}

// extendsLow says whether rdx holds the sign of rax, or 0 for unsigned division.
func (w *writer) extendsLow(i *x86.Instruction, signed bool) bool {
	for k := w.index - 1; k >= 0; k-- {
		x := &w.block.code[k]
		e := w.f.effects[x.Address]
		switch {
		case signed && (x.Op == x86asm.CDQ && w.bits(i, i.Args[0]) == 32 || x.Op == x86asm.CQO && w.bits(i, i.Args[0]) == 64):
			return true
		case !signed && x.Op == x86asm.XOR && x.Args[0] == x.Args[1] && (x.Args[0] == x86asm.Reg(x86asm.EDX) || x.Args[0] == x86asm.Reg(x86asm.RDX)):
			return true
		case !signed && x.Op == x86asm.MOV && (x.Args[0] == x86asm.Reg(x86asm.EDX) || x.Args[0] == x86asm.Reg(x86asm.RDX)) && x.Args[1] == x86asm.Imm(0):
			return true
		case e.writes&(1<<rdx) != 0, signed && e.writes&(1<<rax) != 0:
			return false
		}
	}
	return false
}

// function writes the function.
func (w *writer) function() string {
	for _, at := range w.f.order {
		w.writeBlock(w.f.blocks[at])
	}
	used := w.f.arguments
	for _, e := range w.f.effects {
		used |= e.reads | e.writes
	}
	quiet := "" // with names of C variables there is no need for those of registers
	if len(w.p.debug.lines) > 0 {
		quiet = hidden
	}
	var b strings.Builder
	b.WriteString(w.p.signature(w.f) + " {\n")
	for r := range register(registers) {
		if r == rsp || used&(1<<r) == 0 || w.f.arguments&(1<<r) != 0 && slices.Contains(parameterRegisters, r) && w.f.name != "main" {
			continue
		}
		fmt.Fprintf(&b, "  %su64 _%v;\n", quiet, r)
	}
	for r := xmm0; r < allRegisters; r++ {
		if used&(1<<r) == 0 {
			continue
		}
		w.p.vectors = true
		fmt.Fprintf(&b, "  %sx128 %s;\n", hidden, vectorName(r))
		if w.f.arguments&(1<<r) != 0 && r < xmm0+vectorParameters && w.f.name != "main" {
			fmt.Fprintf(&b, "  %[1]s[0] = low$%[1]s; %[1]s[1] = high$%[1]s;\n", vectorName(r))
		}
	}
	if w.f.name == "main" {
		if w.p.uses["guard"] {
			b.WriteString("  guard$ = __assay_approximate_size(\"the guard of the stack\");\n")
		}
		for k, r := range []register{rdi, rsi} {
			if w.f.arguments&(1<<r) != 0 {
				fmt.Fprintf(&b, "  _%v = %s;\n", r, []string{"(u64)argc", "(u64)argv"}[k])
			}
		}
	}
	for _, v := range w.f.layout {
		fmt.Fprintf(&b, "  %s;\n", v.declaration())
	}
	for r := range register(allRegisters) { // no refutation may rest on what is there
		switch passed := w.f.arguments&(1<<r) != 0 && (slices.Contains(parameterRegisters, r) || r >= xmm0 && r < xmm0+vectorParameters); {
		case r == rsp || w.f.entered&(1<<r) == 0 || used&(1<<r) == 0 || passed && (w.f.name != "main" || r == rdi || r == rsi):
		case r < registers:
			fmt.Fprintf(&b, "  _%v = __assay_approximate_size(\"%v at the entry\");\n", r, r)
		default:
			fmt.Fprintf(&b, "  %[1]s[0] = __assay_approximate_size(\"%[1]s at the entry\"); %[1]s[1] = __assay_approximate_size(\"%[1]s at the entry\");\n", vectorName(r))
		}
	}
	for k := range w.f.incoming {
		at := int64(k+1) * addressBytes
		v := w.local(at)
		fmt.Fprintf(&b, "  %s = argument$%d;\n", v.part(uint64(at-v.offset), 64), k)
	}
	for _, d := range w.declarations {
		b.WriteString("  " + d + "\n")
	}
	b.WriteString(w.beginStack())
	fmt.Fprintf(&b, "  goto L_%x;\n", w.f.address)
	b.WriteString(w.out.String() + "}\n\n")
	return b.String()
}

// writeBlock writes a block with its label and its end.
func (w *writer) writeBlock(b *block) {
	fmt.Fprintf(&w.out, "L_%x: ;\n", b.start)
	f := w.f.entry[b.start]
	if f == nil {
		w.unsupported(b.start, "this code is not reached along known ways")
		w.out.WriteString("\n")
		return
	}
	w.frame, w.setters, w.block = f.clone(), w.f.setters[b.start], b
	if why := w.try(func() { w.checkLevels(b.start) }); why != "" {
		w.unsupported(b.start, why)
		w.out.WriteString("\n")
		return
	}
	at := "" // the line, of each instruction
	for k := range b.code {
		i := &b.code[k]
		w.index, w.tail, w.reading, w.comparing = k, false, false, false
		if l, ok := w.p.debug.lines[i.Address]; ok {
			at = fmt.Sprintf("#line %d %q\n", l.number, l.file)
		}
		fmt.Fprintf(&w.out, "%s  { /* %x: %v */", at, i.Address, i)
		w.label(i.Address)
		if why := w.attempt(i); why != "" {
			w.unsupported(i.Address, fmt.Sprintf("%v: %s", i, why))
			w.out.WriteString(" }\n")
			if !w.scan {
				return
			}
		}
		w.out.WriteString(" }\n")
		if k < len(b.code)-1 || !w.ends(i) {
			w.frame.step(i, w.f.effects[i.Address].writes)
			w.setters = w.setters.step(i)
		}
	}
	switch {
	case b.stop != "":
		w.unsupported(b.start, b.stop)
		w.out.WriteString("\n")
	case len(b.successors) == 1 && !w.ends(&b.code[len(b.code)-1]):
		w.line("goto L_%x;\n", b.successors[0])
	}
}

// label writes the label that the user asked for; one that stands several times in a function leads to the first.
func (w *writer) label(at uint64) {
	name := w.p.labels[at]
	switch {
	case name == "":
	case w.labelled:
		w.line("goto %s;", name)
	default:
		w.labelled = true
		w.line("%s: ;", name)
	}
}

// ends says whether an instruction wrote where the run goes.
func (w *writer) ends(i *x86.Instruction) bool {
	return i.Op == x86asm.RET || i.Op == x86asm.JMP || i.Op == x86asm.HLT || i.Op == x86asm.UD2 || isConditionalJump(i)
}

func (w *writer) unsupported(at uint64, why string) {
	w.line("__assay_unsupported(%q);", fmt.Sprintf("%s+0x%x: %s", w.f.name, at-w.f.address, why))
}

// attempt writes an instruction, and says why not.
func (w *writer) attempt(i *x86.Instruction) (why string) {
	return w.try(func() { w.any(i) })
}

// any writes any instruction.
func (w *writer) any(i *x86.Instruction) {
	w.loseFlags(i)
	switch {
	case w.dynamicStack(i):
	case i.Op == x86asm.RET:
		w.giveBack(i)
	case i.Op == x86asm.HLT, i.Op == x86asm.UD2:
		w.line("abort();")
	case i.Op == x86asm.JMP:
		w.jump(i)
	case isConditionalJump(i):
		t, _ := i.Target()
		c, _ := condition(i.Op)
		if w.dry {
			return
		}
		w.line("if (%s) goto L_%x; else goto L_%x;", w.condition(c), t, i.Next())
	case w.moves(i):
	case w.keepIndex(i):
	default:
		w.instruction(i)
	}
}

// giveBack is a return: the stack pointer and the registers of the caller have to be as they were.
func (w *writer) giveBack(i *x86.Instruction) {
	w.reads |= 1<<rax | w.f.clobbered&(1<<rdx|vectorResults) // where these are part of a result
	if w.dry {
		return
	}
	if i.Args[0] != nil {
		refuse("a return that takes arguments from the stack")
	}
	if w.frame.registers[rsp] != (fact{stack, 0}) {
		refuse("the stack pointer does not come back")
	}
	for _, r := range calleeSaved {
		if w.frame.registers[r] != (fact{entry, int64(r)}) {
			refuse("the register %v does not come back", r)
		}
	}
	w.giveResults()
	if w.f.name == "main" {
		w.line("return (int)%s;", w.value(rax))
	} else {
		w.line("return %s;", w.value(rax))
	}
}
