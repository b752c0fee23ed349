package lift

import (
	"debug/elf"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file follows addresses of functions. In C they are addresses of functions, too, as numbers, so that they are
// copied, stored and compared as they are. A call of a computed address compares it with all functions whose address
// the code or its data mention, and calls the one that it is; if it is none, the call is not supported. So nothing is
// assumed about where an address comes from.

// refers collects the addresses that a function mentions, and returns the functions among them, also those
// to which data lead that it mentions.
func (p *program) refers(f *body) (functions []uint64) {
	visited := map[*object]bool{}
	var visit func(a uint64)
	visit = func(a uint64) {
		p.functions.referred[a] = true
		if _, _, ok := p.functionAt(a); ok {
			p.pointees[a] = true
			functions = append(functions, a)
			return
		}
		o := p.data.pointee(a)
		if o == nil || visited[o] {
			return
		}
		visited[o] = true
		for _, target := range p.data.targets(o) {
			visit(target)
		}
	}
	for _, i := range f.at {
		for _, a := range i.Args {
			switch a := a.(type) {
			case x86asm.Mem:
				_, tabled := p.functions.tabled(i, a)
				switch {
				case tabled && (i.Op == x86asm.CALL || i.Op == x86asm.JMP):
				case a.Base == x86asm.RIP:
					visit(i.Next() + uint64(a.Disp))
				case p.fixed() && a.Disp >= minAddress:
					visit(uint64(a.Disp))
				}
			case x86asm.Imm:
				if f.points[i.Address] || p.image.Type == elf.ET_EXEC && a >= minAddress && i.DataSize >= 32 {
					visit(uint64(a))
				}
			}
		}
	}
	return functions
}

// functionAt says which function starts at an address, and whether another file defines it.
func (p *program) functionAt(a uint64) (name string, external, ok bool) {
	if n, ok := p.functions.external(a); ok {
		_, isData := externalData[n]
		return n, true, !isData
	}
	if n, ok := p.functions.at[a]; ok && p.functions.code(a) != nil {
		return n, false, true
	}
	// Without symbols whatever can be executed counts.
	return p.functions.name(a), false, len(p.functions.at) == 0 && p.functions.code(a) != nil
}

// functionAddress is the address of a function as an expression, if it has one in C.
func (p *program) functionAddress(a uint64) (string, bool) {
	n, external, ok := p.functionAt(a)
	if !ok {
		return "", false
	}
	if x, known := p.meaning(n); known {
		if x.text != "" || x.as != "" {
			return "", false
		}
		p.declare(n, x)
		return "(u64)&" + n, true
	}
	if external || p.bodies[a] == nil {
		return "", false
	}
	return "(u64)&" + p.names[a], true
}

// callPointer is a call of a computed address.
func (w *writer) callPointer(i *x86.Instruction, target string) {
	t := w.temporary(64, target)
	before := w.frame.clone()
	w.line("if (0) ;")
	for _, a := range slices.Sorted(maps.Keys(w.p.pointees)) {
		address, ok := "0", true
		if !w.dry {
			address, ok = w.p.functionAddress(a)
		}
		if !ok {
			continue
		}
		w.line("else if (%s == %s) {", t, address)
		w.frame = before.clone()
		if why := w.try(func() { w.callOf(i, a) }); why != "" && !w.dry {
			w.unsupported(i.Address, i.String()+": "+why)
		}
		w.line("}")
	}
	if w.writes |= callerSaved; !w.dry {
		w.line("else")
		w.unsupported(i.Address, i.String()+": the address is that of no function that is known")
	}
}

// try writes something, and says why not: then nothing is written.
func (w *writer) try(what func()) (why string) {
	before := w.out.Len()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unsupported:
			text := w.out.String()[:before]
			w.out.Reset()
			w.out.WriteString(text)
			why = string(r)
		default:
			panic(r)
		}
	}()
	what()
	return ""
}

// callbackKind is a type of functions that the library calls.
type callbackKind struct {
	result     string
	parameters []string // registers in which arguments come
}

// callbacks are such types, by the name of the C type.
var callbacks = map[string]callbackKind{
	"order$":   {"int", []string{"_rdi", "_rsi"}},
	"handler$": {"void", nil},
}

const callbackTypes = "typedef int (*order$)(const void *, const void *); typedef void (*handler$)(void);\n"

// callback is a computed address of a function that a function of the library calls, as a function of C.
func (w *writer) callback(i *x86.Instruction, name string, kind callbackKind, target string) string {
	if w.dry {
		return target
	}
	w.p.uses["callbacks"] = true
	t := w.temporary(64, target)
	f := w.temporaryOf(name, "0")
	w.line("if (0) ;")
	for _, a := range slices.Sorted(maps.Keys(w.p.pointees)) {
		body := w.p.bodies[a]
		address, ok := w.p.functionAddress(a)
		if !ok || body == nil || body.blocks == nil || w.p.means(body.name) || body.incoming > 0 {
			continue
		}
		w.p.callbacks[name+w.p.names[a]] = w.p.callbackText(name+w.p.names[a], kind, body)
		w.line("else if (%s == %s) %s = %s%s;", t, address, f, name, w.p.names[a])
	}
	w.line("else")
	w.unsupported(i.Address, i.String()+": the function to be called is none that is known")
	return f
}

// callbackText is a function of C that calls one of the file, with arguments as the library gives them.
func (p *program) callbackText(name string, kind callbackKind, f *body) string {
	var parameters, arguments []string
	for _, r := range kind.parameters {
		parameters = append(parameters, "const void *"+r)
	}
	for _, r := range parameterRegisters {
		switch {
		case f.arguments&(1<<r) == 0:
		case slices.Contains(kind.parameters, "_"+r.String()):
			arguments = append(arguments, "(u64)_"+r.String())
		default:
			arguments = append(arguments, fmt.Sprintf(`__assay_approximate_size("%v at the entry")`, r))
		}
	}
	for r := xmm0; r < xmm0+vectorParameters; r++ {
		if f.arguments&(1<<r) != 0 {
			x := fmt.Sprintf(`__assay_approximate_size("%s at the entry")`, vectorName(r))
			arguments = append(arguments, x, x)
		}
	}
	if parameters == nil {
		parameters = []string{"void"}
	}
	call := fmt.Sprintf("%s(%s);", p.cName(f.address), strings.Join(arguments, ", "))
	if kind.result != "void" {
		call = fmt.Sprintf("return (%s)%s", kind.result, call)
	}
	return fmt.Sprintf("static %s %s(%s) { %s }\n", kind.result, name, strings.Join(parameters, ", "), call)
}
