package lift

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/image"
	"assay/internal/program/binary/x86"
)

// This file finds places that a user names: by a symbol, by a label of C, or by an address; and main, where a file has lost its
// symbols.

// Place is an address in an image, for messages with what the user wrote.
type Place struct {
	Address uint64
	Text    string
}

// Entry is where runs start: a function by its symbol, or an address as 0x…, which in object files counts from the start of .text.
func Entry(m *image.Image, text string) (Place, error) { return newSymbols(m).entry(text) }

func (s *symbols) entry(text string) (Place, error) {
	if a, ok, err := s.number(text); ok || err != nil {
		return Place{a, text}, err
	}
	var found []uint64
	for a, n := range s.at {
		if n == text || s.aliases[text] == a && s.aliases[text] != 0 {
			found = append(found, a)
		}
	}
	slices.Sort(found)
	switch {
	case len(found) == 1:
		return Place{found[0], text}, nil
	case len(found) > 1:
		return Place{}, &Error{s.image.File, fmt.Sprintf("%d functions have the name %s, at 0x%x and 0x%x: say which by --entry 0x…", len(found), text, found[0], found[1])}
	}
	if text == "main" {
		if a, ok := s.findMain(); ok {
			s.at[a] = "main"
			return Place{a, text}, nil
		}
	}
	if s.aliases["main.main"] != 0 && s.aliases["runtime.main"] != 0 {
		return Place{}, &Error{s.image.File, "a program in Go: only the calling convention of C is supported, and no goroutines"}
	}
	hint := "name one that has a symbol by --function, or an address by --entry 0x…"
	if names := slices.Sorted(maps.Values(s.at)); len(names) > 0 && len(names) <= 20 {
		hint += "; functions: " + strings.Join(slices.Compact(names), ", ")
	}
	return Place{}, &Error{s.image.File, fmt.Sprintf("no symbol for the function %s: %s", text, hint)}
}

// number reads an address; ok says that it is one.
func (s *symbols) number(text string) (a uint64, ok bool, err error) {
	digits, ok := strings.CutPrefix(strings.ToLower(text), "0x")
	if !ok {
		return 0, false, nil
	}
	a, err = strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return 0, false, &Error{s.image.File, fmt.Sprintf("%s is no address: write 0x and hexadecimal digits", text)}
	}
	var ranges []string
	for _, x := range s.image.Sections {
		if s.image.Type == elf.ET_REL && x.Name == ".text" {
			a += x.Address
		}
		if x.Executable && x.Size > 0 {
			ranges = append(ranges, fmt.Sprintf("%s [%#x, %#x)", x.Name, x.Address, x.Address+x.Size))
		}
	}
	if s.code(a) == nil {
		return 0, false, &Error{s.image.File, fmt.Sprintf("nothing is executed at %s: code is in %s", text, strings.Join(ranges, ", "))}
	}
	return a, true, nil
}

// findMain finds main as the C library gets it: in rdi, where the code at the file's entry point calls __libc_start_main.
func (s *symbols) findMain() (uint64, bool) {
	const most = 40 // instructions
	var argument uint64
	at := s.image.Entry
	for range most {
		i, err := x86.Decode(s.code(at), at)
		if err != nil {
			return 0, false
		}
		switch first, _ := i.Args[0].(x86asm.Reg); {
		case i.Op == x86asm.LEA && first == x86asm.RDI:
			if m, ok := i.Args[1].(x86asm.Mem); ok && m.Base == x86asm.RIP {
				argument = i.Next() + uint64(m.Disp)
			}
		case i.Op == x86asm.MOV && (first == x86asm.RDI || first == x86asm.EDI):
			if n, ok := i.Args[1].(x86asm.Imm); ok {
				argument = uint64(n)
			}
		case i.Op == x86asm.CALL:
			name, known := "", false
			if t, ok := i.Target(); ok {
				name, known = s.external(t)
			} else if m, ok := i.Args[0].(x86asm.Mem); ok {
				name, known = s.tabled(&i, m)
			}
			return argument, known && name == "__libc_start_main" && s.code(argument) != nil
		case i.Op == x86asm.JMP, i.Op == x86asm.RET, i.Op == x86asm.HLT:
			return 0, false
		}
		at = i.Next()
	}
	return 0, false
}

// Label is where a label of C, or a symbol, or an address 0x…, is in the code.
func Label(m *image.Image, content []byte, text string) ([]Place, error) {
	return newSymbols(m).label(readDebugging(m, content), text)
}

func (s *symbols) label(d *debugging, text string) ([]Place, error) {
	if a, ok, err := s.number(text); ok || err != nil {
		return []Place{{a, text}}, err
	}
	var out []Place
	for _, a := range d.labels[text] {
		out = append(out, Place{a, text})
	}
	for _, x := range s.image.Symbols {
		if x.Defined && x.Name == text && s.code(x.Address) != nil {
			out = append(out, Place{x.Address, text})
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	hint := "name a symbol, or an address by --label 0x…"
	if names := slices.Sorted(maps.Keys(d.labels)); len(names) > 0 {
		hint += "; labels: " + strings.Join(names, ", ")
	} else if len(d.lines) == 0 {
		hint += "; labels of C are known where the file was compiled with -g"
	}
	return nil, &Error{s.image.File, fmt.Sprintf("no label %s in the code: %s", text, hint)}
}

// checkLabels refuses labels in the middle of instructions.
func (p *program) checkLabels() error {
	for _, f := range p.bodies {
		for _, i := range f.at {
			for a := range p.labels {
				if a > i.Address && a < i.Next() {
					return &Error{p.image.File, fmt.Sprintf("%s is no place where an instruction begins: 0x%x: %v goes on there", p.options.Label, i.Address, i)}
				}
			}
		}
	}
	return nil
}

// LabelName is the C label that stands for what a user wrote.
func LabelName(text string) string {
	if strings.HasPrefix(strings.ToLower(text), "0x") {
		return "at_" + strings.ToLower(text)
	}
	return text
}

// readLabel notes a label of C.
func (d *debugging) readLabel(e *dwarf.Entry, offset uint64) {
	name, _ := e.Val(dwarf.AttrName).(string)
	if a, ok := e.Val(dwarf.AttrLowpc).(uint64); ok && name != "" {
		d.labels[name] = append(d.labels[name], a+offset)
	}
}
