package lift

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file writes calls, and jumps that are calls [psABI, 3.2].

// jump is one without condition.
func (w *writer) jump(i *x86.Instruction) {
	if t, ok := i.Target(); ok {
		if slices.Contains(w.block.successors, t) {
			w.line("goto L_%x;", t)
			return
		}
		w.tail = true
		w.callOf(i, t)
		w.endTail(&x86.Instruction{Inst: x86asm.Inst{Op: x86asm.RET}, Address: i.Address})
		return
	}
	if m, ok := i.Args[0].(x86asm.Mem); ok {
		if n, ok := w.p.functions.tabled(i, m); ok {
			w.tail = true
			w.external(i, n)
			w.endTail(&x86.Instruction{Inst: x86asm.Inst{Op: x86asm.RET}, Address: i.Address})
			return
		}
	}
	if n, ok := w.p.functions.held(w.frame, i.Args[0]); ok {
		w.tail = true
		w.external(i, n)
		w.endTail(&x86.Instruction{Inst: x86asm.Inst{Op: x86asm.RET}, Address: i.Address})
		return
	}
	if w.keepIndex(i); w.f.tables[i.Address] != nil {
		w.choose(i, w.f.tables[i.Address])
		return
	}
	target := w.get(i, i.Args[0], 64)
	if sp := w.frame.registers[rsp]; !w.dry && sp != (fact{stack, 0}) {
		refuse("a jump to a computed address, of which no table is known")
	}
	w.tail = true
	w.callPointer(i, target)
	w.endTail(&x86.Instruction{Inst: x86asm.Inst{Op: x86asm.RET}, Address: i.Address})
}

// endTail returns behind a tail call, with what the callee returned.
func (w *writer) endTail(i *x86.Instruction) {
	if w.tail = false; !w.dry {
		w.giveBack(i)
	}
}

// call is a call.
func (w *writer) call(i *x86.Instruction) {
	if t, ok := i.Target(); ok {
		w.callOf(i, t)
		return
	}
	if m, ok := i.Args[0].(x86asm.Mem); ok {
		if n, ok := w.p.functions.tabled(i, m); ok {
			w.external(i, n)
			return
		}
	}
	if n, ok := w.p.functions.held(w.frame, i.Args[0]); ok {
		w.external(i, n)
		return
	}
	w.callPointer(i, w.get(i, i.Args[0], 64))
}

// callerSaved are the registers that a call may change.
const callerSaved = 1<<rax | 1<<rcx | 1<<rdx | 1<<rsi | 1<<rdi | 0xf<<r8 | allVectors

// callOf is a call of the function at an address.
func (w *writer) callOf(i *x86.Instruction, target uint64) {
	if n, ok := w.p.functions.external(target); ok {
		w.external(i, n)
		return
	}
	callee := w.p.bodies[target]
	if callee == nil {
		refuse("a call of 0x%x, where no function is", target)
	}
	if x, ok := w.p.meaning(callee.name); ok {
		w.known(i, callee.name, x)
		return
	}
	var arguments []string
	for _, r := range parameterRegisters {
		if callee.arguments&(1<<r) != 0 {
			w.reads |= 1 << r
			arguments = append(arguments, w.value(r))
		}
	}
	for r := xmm0; r < xmm0+vectorParameters; r++ {
		if callee.arguments&(1<<r) != 0 {
			w.reads |= 1 << r
			arguments = append(arguments, vectorName(r)+"[0]", vectorName(r)+"[1]")
		}
	}
	arguments = append(arguments, w.outgoing(callee.incoming)...)
	w.loseRedZone()
	result := "" // what the callee does not change, stays: gcc keeps values in such registers (-fipa-ra)
	if callee.clobbered&(1<<rax) != 0 {
		result = "_rax = "
	}
	w.line("%s%s(%s);", result, w.p.names[target], strings.Join(arguments, ", "))
	if callee.overwrites {
		w.loseOutgoing(callee.incoming)
	}
	results := callee.clobbered & (1<<rdx | vectorResults)
	w.afterCall(i, callee.clobbered&^results)
	w.writes |= callee.clobbered & (1 << rax)
	if w.writes |= results; w.dry {
		return
	}
	live := w.f.live[i.Address]
	if w.tail {
		live = w.p.results[w.f.address]
	}
	if live &= results; live != 0 {
		w.p.results[target] |= live
		for r := range register(allRegisters) {
			switch {
			case live&(1<<r) == 0:
			case r == rdx:
				w.line("_rdx = result$_rdx;")
			default:
				w.line("%[1]s[0] = result$%[1]s_0; %[1]s[1] = result$%[1]s_1;", vectorName(r))
			}
		}
	}
}

// giveResults leaves for the caller what it uses besides rax.
func (w *writer) giveResults() {
	for r := range register(allRegisters) {
		switch {
		case w.p.results[w.f.address]&(1<<r) == 0:
		case r == rdx:
			w.line("result$_rdx = %s;", w.value(rdx))
		default:
			w.line("result$%[1]s_0 = %[1]s[0]; result$%[1]s_1 = %[1]s[1];", vectorName(r))
		}
	}
}

// slot is where an argument on the stack is, from the caller's view.
func (w *writer) slot(k int) int64 {
	sp := w.frame.registers[rsp]
	if sp.kind != stack {
		refuse("the stack pointer is not known")
	}
	if w.tail {
		return sp.n + addressBytes*int64(k+1)
	}
	return sp.n + addressBytes*int64(k)
}

// outgoing are arguments on the stack. What was not written there is arbitrary.
func (w *writer) outgoing(count int) (out []string) {
	for k := range count {
		if w.dry {
			out = append(out, "0")
			continue
		}
		out = append(out, w.word(w.slot(k)))
	}
	return out
}

// word is what the eight bytes at a place of the frame hold: of one variable, or of those that lie there, between which it is arbitrary.
func (w *writer) word(at int64) string {
	v := w.local(at)
	if w.frame.slots[at].isSaved() {
		return `__assay_approximate_size("an argument on the stack")`
	}
	if v != nil && at+addressBytes <= v.offset+int64(v.bytes()) {
		return "(u64)" + v.part(uint64(at-v.offset), 64)
	}
	var parts []string
	known := int64(0)
	for _, v := range w.f.layout {
		end := v.offset + int64(v.bytes())
		if v.offset >= at+addressBytes || end <= at {
			continue
		}
		if v.count > 0 || v.offset < at || end > at+addressBytes {
			refuse("an argument on the stack is not within one variable")
		}
		bits := uint32(8 * v.size)
		parts = append(parts, fmt.Sprintf("(u64)%s << %d", v.part(0, bits), 8*(v.offset-at)))
		if v.element[0] == 'i' {
			parts[len(parts)-1] = fmt.Sprintf("(u64)(u%d)%s << %d", bits, v.name, 8*(v.offset-at))
		}
		for k := range v.size {
			known |= 0xff << (8 * (uint64(v.offset-at) + k))
		}
	}
	if known != -1 {
		x := `__assay_approximate_size("an argument on the stack")`
		if known != 0 {
			x = fmt.Sprintf("(%s & %#xul)", w.temporary(64, x), ^uint64(known))
		}
		parts = append(parts, x)
	}
	return strings.Join(parts, " | ")
}

// loseOutgoing makes the places of arguments on the stack arbitrary: they are the callee's.
func (w *writer) loseOutgoing(count int) {
	if w.dry || w.tail {
		return
	}
	for k := range count {
		at := w.slot(k)
		if w.frame.slots[at].isSaved() {
			continue
		}
		if v := w.local(at); v != nil && at+addressBytes <= v.offset+int64(v.bytes()) {
			w.line(`%s = __assay_approximate_size("an argument on the stack behind a call");`, v.part(uint64(at-v.offset), 64))
			continue
		}
		for _, v := range w.f.layout {
			if v.offset >= at && v.offset < at+addressBytes && v.count == 0 {
				w.line(`%s = (%s)__assay_approximate_size("an argument on the stack behind a call");`, v.name, v.element)
			}
		}
	}
}

// maxLost bounds the bytes of an array that are made arbitrary at a call.
const maxLost = 512

// loseRedZone makes what lies below the stack pointer arbitrary: the callee's frame is there.
func (w *writer) loseRedZone() {
	if w.dry || w.tail { // nobody looks at the frame behind a tail call
		return
	}
	sp := w.frame.registers[rsp]
	if sp.kind == dynamic { // all that the frame has lies above it
		return
	}
	if sp.kind != stack {
		refuse("the stack pointer is not known")
	}
	for _, v := range w.f.layout {
		switch {
		case v.offset >= sp.n:
		case v.count > 0:
			end := min(uint64(sp.n-v.offset), v.bytes())
			if end > maxLost {
				refuse("a call while %s lies below the stack pointer", v.name)
			}
			for at := uint64(0); at < end; {
				size := uint64(addressBytes)
				for at%size != 0 || at+size > end {
					size /= 2
				}
				w.line("%s = (u%d)__assay_approximate_size(\"what lies below the stack pointer at a call\");", v.part(at, uint32(8*size)), 8*size)
				at += size
			}
		default:
			w.line("%s = (%s)__assay_approximate_size(\"what lies below the stack pointer at a call\");", v.name, v.element)
		}
	}
}

// afterCall makes what the callee may have changed arbitrary.
func (w *writer) afterCall(i *x86.Instruction, clobbered uint32) {
	w.writes |= clobbered & callerSaved
	for r := range register(registers) {
		if r != rax && clobbered&callerSaved&(1<<r) != 0 && w.f.live[i.Address]&(1<<r) != 0 {
			w.line("_%v = __assay_approximate_size(\"%v behind a call\");", r, r)
		}
	}
	for r := xmm0; r < allRegisters; r++ {
		if clobbered&(1<<r) != 0 && w.f.live[i.Address]&(1<<r) != 0 {
			w.line("%[1]s[0] = __assay_approximate_size(\"%[1]s behind a call\"); %[1]s[1] = __assay_approximate_size(\"%[1]s behind a call\");", vectorName(r))
		}
	}
}

// external is a call of a function that the file does not define.
func (w *writer) external(i *x86.Instruction, name string) {
	if x, ok := formattedFunctions[name]; ok {
		w.formatted(i, name, x)
		return
	}
	x, ok := w.p.meaning(name)
	if !ok {
		refuse("a call of %s, of which nothing is known here", name)
	}
	w.known(i, name, x)
}

// known is a call of a function whose parameters are known.
func (w *writer) known(i *x86.Instruction, name string, x prototype) {
	rest := &variadic{w: w}
	var arguments []string
	for _, p := range x.parameters {
		if p == "double" || p == "float" {
			r := xmm0 + register(rest.floats)
			rest.floats++
			w.reads |= 1 << r
			bits := map[string]uint32{"double": 64, "float": 32}[p]
			arguments = append(arguments, w.temporaryOf(p, asFloat(bits, vectorName(r)+"[0]")))
		} else if kind, ok := callbacks[p]; ok {
			arguments = append(arguments, w.callback(i, p, kind, rest.integer()))
		} else if x.truth {
			arguments = append(arguments, fmt.Sprintf("(%s)(%s != 0)", p, rest.integer()))
		} else {
			arguments = append(arguments, fmt.Sprintf("(%s)%s", p, rest.integer()))
		}
	}
	if x.as != "" {
		name = x.as
	}
	w.p.declare(name, x)
	if !w.dry {
		w.preconditions(i, x, arguments)
	}
	w.loseRedZone()
	call := fmt.Sprintf("%s(%s)", name, strings.Join(arguments, ", "))
	switch x.result {
	case "double", "float":
		bits := map[string]uint32{"double": 64, "float": 32}[x.result]
		r := w.temporary(bits, asBits(bits, w.temporaryOf(x.result, call)))
		w.afterCall(i, callerSaved)
		w.line("_xmm0[0] = %s;", r)
		return
	case "void":
		if x.text != "" {
			call = strings.TrimSuffix(x.text, ";")
		}
		w.line("%s;", call)
	default:
		w.line("_rax = (u64)(%s)%s;", x.widened(), call)
	}
	w.afterCall(i, callerSaved)
}
