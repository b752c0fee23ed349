package lift

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file writes calls of functions that take a format: printf, which reads what it prints and changes nothing, and
// those that write to memory. The format has to be a constant. What they read and write is checked to be there;
// sprintf and scanf and the like are then called as in C, with arguments of the types that the format asks for.

// formatted is a function with a format: the number of arguments before it, and what it does with the others.
type formatted struct {
	before int
	kind   string // print, write (to a buffer), sized (to a buffer with a size), read
	as     string // the function of C
	skip   []int  // arguments that it does not have in C
}

var formattedFunctions = map[string]formatted{
	"printf": {0, "print", "", nil}, "fprintf": {1, "print", "", nil}, "dprintf": {1, "print", "", nil},
	"__printf_chk": {1, "print", "", nil}, "__fprintf_chk": {2, "print", "", nil},
	"sprintf": {1, "write", "", nil}, "snprintf": {2, "sized", "", nil}, "__sprintf_chk": {3, "write", "", nil}, "__snprintf_chk": {4, "sized", "", nil},
	"scanf": {0, "read", "scanf", nil}, "sscanf": {1, "read", "sscanf", nil}, "fscanf": {1, "read", "fscanf", nil},
	"__isoc99_scanf": {0, "read", "scanf", nil}, "__isoc99_sscanf": {1, "read", "sscanf", nil}, "__isoc99_fscanf": {1, "read", "fscanf", nil},
	"__isoc23_scanf": {0, "read", "scanf", nil}, "__isoc23_sscanf": {1, "read", "sscanf", nil}, "__isoc23_fscanf": {1, "read", "fscanf", nil},
}

// conversion is one of a format.
type conversion struct {
	verb   byte
	length string // hh, h, l, ll, z, j, t, L
	stars  int    // arguments for width and precision
	width  string // the digits before the verb
	drop   bool   // %*d of scanf
}

// conversions are those of a format; false if it is damaged or has others than those of C.
func conversions(format string, scan bool) (list []conversion, ok bool) {
	for k := 0; k < len(format); k++ {
		if format[k] != '%' {
			continue
		}
		var c conversion
		k++
		for ; k < len(format) && strings.IndexByte("-+ #0'123456789.*", format[k]) >= 0; k++ {
			switch {
			case format[k] == '*' && scan:
				c.drop = true
			case format[k] == '*':
				c.stars++
			case format[k] >= '0' && format[k] <= '9':
				c.width += format[k : k+1]
			}
		}
		for ; k < len(format) && strings.IndexByte("hlzjtLq", format[k]) >= 0; k++ {
			c.length += format[k : k+1]
		}
		if k >= len(format) || c.length == "L" || strings.IndexByte("diouxXcsfFeEgGaAp%", format[k]) < 0 || scan && (format[k] == 's' || format[k] == '[') && c.width == "" && !c.drop {
			return nil, false
		}
		if c.verb = format[k]; c.verb != '%' {
			list = append(list, c)
		}
	}
	return list, true
}

// arguments goes over the arguments of a variadic call.
type variadic struct {
	w                         *writer
	integers, floats, onStack int
}

// integer is the next argument of an integer type, of 64 bits.
func (v *variadic) integer() string {
	if v.integers < len(argumentRegisters) {
		r := argumentRegisters[v.integers]
		v.integers++
		v.w.reads |= 1 << r
		return v.w.value(r)
	}
	return v.stack()
}

func (v *variadic) stack() string {
	list := v.w.outgoing(v.onStack + 1)
	v.onStack++
	return list[v.onStack-1]
}

// float is the next argument of type double.
func (v *variadic) float() string {
	if v.floats < vectorParameters {
		r := xmm0 + register(v.floats)
		v.floats++
		v.w.reads |= 1 << r
		return asFloat(64, vectorName(r)+"[0]")
	}
	return asFloat(64, v.stack())
}

// constantText is the text at the address that a register holds, if it is known and nothing changes it.
func (w *writer) constantText(r register) (string, bool) {
	if x := w.frame.registers[r]; x.kind == address {
		if text, ok := w.p.data.literal(uint64(x.n)); ok {
			return text, true
		}
	}
	for k := w.index - 1; k >= 0; k-- { // a constant, in a file with a fixed place
		b := &w.block.code[k]
		if d, ok := b.Args[0].(x86asm.Reg); ok && b.Op == x86asm.MOV {
			if n, width, _, known := registerOf(d); known && n == r && width >= 32 {
				if c, constant := b.Args[1].(x86asm.Imm); constant && w.p.fixed() {
					return w.p.data.literal(uint64(c))
				}
			}
		}
		if w.f.effects[b.Address].writes&(1<<r) != 0 {
			break
		}
	}
	return "", false
}

// readFormats finds the formats of calls in a function, and says whether there are any.
func (p *program) readFormats(f *body) bool {
	for _, start := range f.order {
		b := f.blocks[start]
		if f.entry[start] == nil {
			continue
		}
		w := &writer{p: p, f: f, block: b, frame: f.entry[start].clone()}
		for k := range b.code {
			i := &b.code[k]
			w.index = k
			if x, ok := formattedFunctions[p.externalCall(w.frame, i)]; ok {
				if text, ok := w.constantText(argumentRegisters[x.before]); ok {
					f.formats[i.Address] = text
				}
			}
			w.frame.step(i, f.effects[i.Address].writes)
		}
	}
	return len(f.formats) > 0
}

// externalCall is the name of the function of another file that an instruction calls.
func (p *program) externalCall(f *frame, i *x86.Instruction) string {
	if i.Op != x86asm.CALL && i.Op != x86asm.JMP {
		return ""
	}
	if t, ok := i.Target(); ok {
		n, _ := p.functions.external(t)
		return n
	}
	if m, ok := i.Args[0].(x86asm.Mem); ok {
		n, _ := p.functions.tabled(i, m)
		return n
	}
	n, _ := p.functions.held(f, i.Args[0])
	return n
}

// formatted writes a call of a function with a format.
func (w *writer) formatted(i *x86.Instruction, name string, x formatted) {
	if w.dry {
		for _, r := range argumentRegisters[:x.before+1] {
			w.reads |= 1 << r
		}
		w.reads |= w.formatReads(i, x)
		w.afterCall(i, callerSaved)
		return
	}
	format, ok := w.f.formats[i.Address]
	list, known := conversions(format, x.kind == "read")
	if !ok || !known {
		refuse("a call of %s with a format that is not known, or not supported", name)
	}
	w.p.uses["string"] = true
	rest := &variadic{w: w, integers: x.before + 1}
	var arguments []string
	for _, c := range list {
		for range c.stars {
			arguments = append(arguments, "(int)"+rest.integer())
		}
		switch {
		case x.kind == "read" && c.drop:
		case x.kind == "read":
			p := w.temporary(64, rest.integer())
			w.needRange(i, p, readSize(c))
			arguments = append(arguments, "(void *)"+p)
		case c.verb == 's':
			if c.length != "" {
				refuse("a wide string")
			}
			p := w.temporary(64, rest.integer())
			w.line("string$((const u8 *)%s);", p)
			arguments = append(arguments, "(const char *)"+p)
		case strings.IndexByte("fFeEgGaA", c.verb) >= 0:
			arguments = append(arguments, rest.float())
		default:
			arguments = append(arguments, "(long)"+rest.integer())
			if c.length == "" || c.length[0] == 'h' {
				arguments[len(arguments)-1] = "(int)" + arguments[len(arguments)-1]
			}
		}
	}
	for k, a := range arguments {
		arguments[k] = ", " + w.temporaryOf("__typeof__("+a+")", a)
	}
	first := func(k int) string { return w.value(argumentRegisters[k]) }
	switch x.kind {
	case "print":
		w.loseRedZone()
		w.line(`_rax = (u32)__assay_approximate_size("the result of printf");`)
	case "write", "sized":
		w.p.declare("snprintf", prototype{result: "int", parameters: []string{"char *", "unsigned long", "const char *", "..."}})
		buffer, text := w.temporary(64, first(0)), w.temporary(64, first(x.before))
		size := ""
		if x.kind == "sized" {
			size = w.temporary(64, first(1))
		} else {
			size = w.temporary(64, fmt.Sprintf("(u64)(i64)snprintf(0, 0, (const char *)%s%s) + 1", text, strings.Join(arguments, "")))
		}
		w.line("if (%s) {", size)
		w.needRange(i, buffer, size)
		w.line("}")
		w.loseRedZone()
		w.line("_rax = (u32)snprintf((char *)%s, %s, (const char *)%s%s);", buffer, size, text, strings.Join(arguments, ""))
	default:
		parameters := []string{"const char *", "..."}
		call := fmt.Sprintf("(const char *)%s", first(x.before))
		if x.before == 1 {
			kind := map[bool]string{true: "const char *", false: "struct _IO_FILE *"}[x.as == "sscanf"]
			parameters = slices.Insert(parameters, 0, kind)
			p := w.temporary(64, first(0))
			if x.as == "sscanf" {
				w.line("string$((const u8 *)%s);", p)
			}
			call = fmt.Sprintf("(%s)%s, %s", kind, p, call)
		}
		w.p.declare(x.as, prototype{result: "int", parameters: parameters})
		w.loseRedZone()
		w.line("_rax = (u32)%s(%s%s);", x.as, call, strings.Join(arguments, ""))
	}
	w.afterCall(i, callerSaved)
}

// formatReads are the registers that such a call reads besides, as far as that is known here.
func (w *writer) formatReads(i *x86.Instruction, x formatted) (reads uint32) {
	list, _ := conversions(w.f.formats[i.Address], x.kind == "read")
	rest := &variadic{w: &writer{p: w.p, f: w.f, dry: true, frame: &frame{}, block: &block{}}, integers: x.before + 1}
	for _, c := range list {
		for range c.stars {
			rest.integer()
		}
		if strings.IndexByte("fFeEgGaA", c.verb) >= 0 && x.kind != "read" {
			rest.float()
		} else if !c.drop {
			rest.integer()
		}
	}
	return rest.w.reads
}

// readSize is how many bytes a conversion of scanf writes.
func readSize(c conversion) string {
	switch c.verb {
	case 's':
		return c.width + " + 1"
	case 'c':
		if c.width != "" {
			return c.width
		}
		return "1"
	case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
		if c.length == "l" {
			return "8"
		}
		return "4"
	case 'p':
		return "8"
	}
	return map[string]string{"": "4", "hh": "1", "h": "2"}[c.length] + map[string]string{"l": "8", "ll": "8", "z": "8", "j": "8", "t": "8", "q": "8"}[c.length]
}

// needRange says that some bytes have to lie within an object.
func (w *writer) needRange(i *x86.Instruction, p, size string) {
	w.line("if (!__assay_valid_range((void *)%s, %s)) __assay_unsupported(\"0x%x: %v: an access that is not within an object\");", p, size, i.Address, i)
}
