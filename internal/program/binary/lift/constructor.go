package lift

import (
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file finds the functions that the C library calls before main and at the end [gABI, 5]: the addresses in .init_array and
// .fini_array, without those that every program has from its compiler and its library.

// maxConstructors bounds them; files with more are damaged.
const maxConstructors = 1000

// ofEveryProgram are functions there that do nothing to what the program has.
var ofEveryProgram = map[string]bool{
	"frame_dummy": true, "__do_global_dtors_aux": true, "init_cacheinfo": true, "check_stdfiles_vtables": true, "_IO_cleanup": true, "fini": true, "call_fini": true,
}

// arrays are the addresses of functions in sections whose names begin so.
func (p *program) arrays(prefixes ...string) (out []uint64) {
	for _, s := range p.image.Sections {
		for _, prefix := range prefixes {
			if !strings.HasPrefix(s.Name, prefix) || s.Data == nil {
				continue
			}
			for k := 0; k+addressBytes <= len(s.Data); k += addressBytes {
				a := binary.LittleEndian.Uint64(s.Data[k:])
				if n, named := p.functions.at[a]; p.functions.code(a) != nil && !ofEveryProgram[n] && (named || !p.ofCompiler(a)) {
					out = append(out, a)
				}
			}
		}
	}
	return out
}

// ofCompiler says whether a function without a name looks like those that every program has: a jump to another one, or
// a test whether it was called before.
func (p *program) ofCompiler(a uint64) bool {
	for range 2 {
		i, err := x86.Decode(p.functions.code(a), a)
		switch {
		case err != nil:
			return false
		case i.Marker:
			a = i.Next()
		default:
			m, ok := i.Args[0].(x86asm.Mem)
			return i.Op == x86asm.JMP || i.Op == x86asm.CMP && ok && m.Base == x86asm.RIP && i.MemBytes == 1
		}
	}
	return false
}

// outside writes calls of what runs before main, in its order, and behind it, in the opposite one.
func (p *program) outside() string {
	var b, before strings.Builder
	call := func(a uint64) string {
		f := p.bodies[a]
		arguments := strings.Count(p.signature(f), ",") + 1
		if strings.HasSuffix(p.signature(f), "(void)") {
			arguments = 0
		}
		list := make([]string, arguments)
		for k := range list {
			list[k] = "__assay_approximate_size(\"an argument of a constructor\")"
		}
		return fmt.Sprintf("%s(%s);", p.names[a], strings.Join(list, ", "))
	}
	for k, a := range p.destructors {
		fmt.Fprintf(&b, "static void destructor$%d(void) { %s }\n", k, call(a))
		fmt.Fprintf(&before, " atexit(destructor$%d);", k)
	}
	for _, a := range p.constructors {
		before.WriteString(" " + call(a))
	}
	if before.Len() > 0 {
		fmt.Fprintf(&b, "int atexit(void (*)(void));\nstatic __attribute__((constructor)) void constructors$(void) {%s }\n", before.String())
	}
	return b.String()
}
