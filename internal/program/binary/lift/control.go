package lift

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/image"
	"assay/internal/program/binary/x86"
)

// This file finds the instructions of a function: from its first one along all jumps, with what is
// behind a call if the callee may return. Jumps to the start of another function are tail calls.

// block is code that is entered at its start and left at its end.
type block struct {
	start uint64
	code  []x86.Instruction
	// successors are addresses of blocks of the function, the one of a jump that is taken first.
	successors []uint64
	// stop says why nothing follows that is known; empty if all does.
	stop string
}

// function is the control flow of a function.
type function struct {
	name    string
	address uint64
	blocks  map[uint64]*block
	order   []uint64          // the addresses of the blocks
	tables  map[uint64]*table // by the address of their jump
}

// maxInstructions bounds a function; longer ones are damaged files, or not for us.
const maxInstructions = 200_000

// symbols finds functions by address.
type symbols struct {
	image   *image.Image
	at      map[uint64]string
	aliases map[string]uint64 // other names of the functions
	// referred are addresses that code refers to.
	referred map[uint64]bool
	// linked are functions of the C library that the file has itself, by address: those whose names the models know.
	linked map[uint64]string
}

func newSymbols(m *image.Image) *symbols {
	s := &symbols{image: m, at: map[uint64]string{}, aliases: map[string]uint64{}, referred: map[uint64]bool{}}
	for _, x := range m.Symbols {
		section := m.SectionAt(x.Address)
		if !x.Defined || section == nil || !section.Executable || x.Type != elf.STT_FUNC && x.Type != elf.STT_NOTYPE {
			continue
		}
		s.aliases[x.Name] = x.Address
		if old, ok := s.at[x.Address]; !ok || len(x.Name) < len(old) { // aliases: the plainest
			s.at[x.Address] = x.Name
		}
	}
	s.linked = s.findLinked()
	return s
}

// findLinked finds the functions of a C library that is linked statically. A function that the program defines wins over
// the library's and has its own name only; those of glibc have another one, with an underscore, or one that programs may not use.
func (s *symbols) findLinked() map[uint64]string {
	found := map[uint64]string{}
	if s.aliases["__libc_start_main"] == 0 {
		return found
	}
	reserved := map[uint64]bool{}
	for name, a := range s.aliases {
		if strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "__VERIFIER_") && !strings.HasPrefix(name, "__CPROVER_") && !strings.HasPrefix(name, "__ESBMC_") {
			reserved[a] = true
		}
	}
	for name, a := range s.aliases {
		_, formats := formattedFunctions[name]
		_, modelled := library[name]
		if (formats || modelled) && (reserved[a] || neverReturns[name]) && (found[a] == "" || name < found[a] && !strings.HasPrefix(name, "_")) {
			found[a] = name
		}
	}
	return found
}

// name is that of the function at an address.
func (s *symbols) name(address uint64) string {
	if n, ok := s.at[address]; ok {
		return n
	}
	return fmt.Sprintf("sub_%x", address)
}

// code are the bytes from an address to the end of its section, nil if nothing can be executed there.
func (s *symbols) code(address uint64) []byte {
	x := s.image.SectionAt(address)
	if x == nil || !x.Executable || x.Data == nil {
		return nil
	}
	return x.Data[address-x.Address:]
}

// external is the name of what an address stands for that the file does not define: itself, or by way of a
// stub that jumps to what the linker puts in a table (the procedure linkage table).
func (s *symbols) external(address uint64) (string, bool) {
	if n, ok := s.image.Externals[address]; ok {
		return n, true
	}
	if n, ok := s.linked[address]; ok {
		return n, true
	}
	for range 3 { // endbr64, jmp
		i, err := x86.Decode(s.code(address), address)
		if err != nil {
			return "", false
		}
		if mem, ok := i.Args[0].(x86asm.Mem); ok && i.Op == x86asm.JMP {
			n, ok := s.tabled(&i, mem)
			return n, ok
		}
		if !i.Marker {
			return "", false
		}
		address = i.Next()
	}
	return "", false
}

// tabled is the name of an external function whose address is in the table where an operand points to.
func (s *symbols) tabled(i *x86.Instruction, mem x86asm.Mem) (string, bool) {
	if mem.Base != x86asm.RIP || mem.Index != 0 || mem.Segment != 0 {
		return "", false
	}
	target, ok := s.imported(i.Next() + uint64(mem.Disp))
	return s.image.Externals[target], ok
}

// imported is what stands for the function of another file whose address is in the table at an address.
func (s *symbols) imported(at uint64) (uint64, bool) {
	x := s.image.SectionAt(at)
	if x == nil || x.Data == nil || at-x.Address+8 > x.Size || !s.image.Pointers[at] || !isTable(x) { // else the program may change it
		return 0, false
	}
	target := binary.LittleEndian.Uint64(x.Data[at-x.Address:])
	n, ok := s.image.Externals[target]
	return target, ok && externalData[n] == ""
}

// isTable says whether a section has addresses that only the linkers write.
func isTable(x *image.Section) bool {
	return strings.HasPrefix(x.Name, ".got") || constantSection(x.Writable, x.Name)
}

// held is the name of the function of another file whose address a register is known to hold.
func (s *symbols) held(f *frame, a x86asm.Arg) (string, bool) {
	r, ok := a.(x86asm.Reg)
	n, bits, _, known := registerOf(r)
	if !ok || !known || bits != 64 || f.registers[n].kind != address {
		return "", false
	}
	name, ok := s.image.Externals[uint64(f.registers[n].n)]
	return name, ok && externalData[name] == ""
}

// explore finds the blocks of a function, with the tables of computed jumps that are known.
func (s *symbols) explore(address uint64, tables map[uint64]*table) *function {
	f := &function{name: s.name(address), address: address, blocks: map[uint64]*block{}, tables: tables}
	code := map[uint64]x86.Instruction{}
	failed := map[uint64]string{}
	leaders := map[uint64]bool{address: true}
	for work := []uint64{address}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for {
			if _, done := code[at]; done || failed[at] != "" {
				break
			}
			if len(code) >= maxInstructions {
				failed[at] = "the function is too long"
				break
			}
			i, err := x86.Decode(s.code(at), at)
			if err != nil {
				if failed[at] = s.end(f, at); failed[at] == "" {
					failed[at] = err.Error()
				}
				break
			}
			code[at] = i
			targets, next := s.flow(f, &i)
			for _, t := range targets {
				if !leaders[t] {
					leaders[t] = true
					work = append(work, t)
				}
			}
			if !next {
				break
			}
			if at = i.Next(); len(targets) > 0 {
				leaders[at] = true
			}
			if why := s.end(f, at); why != "" && len(targets) == 0 {
				failed[at] = why
				break
			}
		}
	}
	for start := range leaders {
		b := &block{start: start}
		for at := start; ; {
			i, ok := code[at]
			if !ok {
				b.stop = failed[at]
				break
			}
			b.code = append(b.code, i)
			targets, next := s.flow(f, &i)
			at = i.Next()
			if b.successors = targets; next && (len(targets) > 0 || leaders[at]) {
				b.successors = append(b.successors, at)
			}
			if !next || len(b.successors) > 0 {
				break
			}
		}
		f.blocks[start] = b
	}
	f.order = slices.Sorted(maps.Keys(f.blocks))
	return f
}

// end says why code does not go on at an address behind an instruction of a function: in an object file its bytes end there, or those of
// another function begin, which the linker may put elsewhere. In an executable file the processor goes on with what is there.
func (s *symbols) end(f *function, at uint64) string {
	const why = ": the compiler took the end of %s for unreachable, as where the behaviour of the source is undefined, or a function that it calls does not return"
	if len(s.code(at)) == 0 {
		return fmt.Sprintf("the code ends here"+why, f.name)
	}
	if n, ok := s.at[at]; ok && at != f.address && s.image.Type == elf.ET_REL {
		return fmt.Sprintf("the code of %s begins here"+why, n, f.name)
	}
	return ""
}

// flow is where an instruction may go in the function: the targets of jumps, and whether to the next one.
func (s *symbols) flow(f *function, i *x86.Instruction) (targets []uint64, next bool) {
	switch {
	case i.Op == x86asm.RET, i.Op == x86asm.HLT, i.Op == x86asm.UD2:
		return nil, false
	case i.Op == x86asm.CALL:
		if t, ok := i.Target(); ok {
			if n, external := s.external(t); external && neverReturns[n] {
				return nil, false
			}
		}
		return nil, true
	case i.Op == x86asm.JMP:
		if t, ok := i.Target(); ok && !s.isTailCall(f, t) {
			return []uint64{t}, false
		}
		if t := f.tables[i.Address]; t != nil {
			return slices.Compact(slices.Sorted(slices.Values(t.targets))), false
		}
		return nil, false
	}
	if t, ok := i.Target(); ok && isConditionalJump(i) {
		return []uint64{t}, true
	}
	return nil, true
}

// isTailCall says whether a jump goes to another function.
func (s *symbols) isTailCall(f *function, target uint64) bool {
	if _, external := s.external(target); external {
		return true
	}
	_, known := s.at[target]
	return known && target != f.address
}

// isConditionalJump says whether it is one on flags.
func isConditionalJump(i *x86.Instruction) bool {
	switch i.Op {
	case x86asm.JA, x86asm.JAE, x86asm.JB, x86asm.JBE, x86asm.JE, x86asm.JG, x86asm.JGE, x86asm.JL, x86asm.JLE, x86asm.JNE, x86asm.JNO,
		x86asm.JNP, x86asm.JNS, x86asm.JO, x86asm.JP, x86asm.JS:
		return true
	}
	return false
}

// neverReturns are functions of libraries that do not return.
var neverReturns = map[string]bool{
	"abort": true, "exit": true, "_exit": true, "_Exit": true, "quick_exit": true, "__assert_fail": true, "__stack_chk_fail": true, "__chk_fail": true,
	"longjmp": true, "_longjmp": true, "siglongjmp": true, "__longjmp_chk": true, "pthread_exit": true, "__assert_perror_fail": true, "err": true, "errx": true,
}
