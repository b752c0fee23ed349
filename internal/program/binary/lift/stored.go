package lift

import (
	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file keeps flags in variables, where it is not known which instruction set them: several may have, or one that
// leaves them as they were if it shifts by 0, or repeats nothing. Such flags are written by every instruction from
// which a way leads to a condition that reads them.

// flagSet is a set of flags.
type flagSet uint8

const (
	carryFlag flagSet = 1 << iota
	zeroFlag
	signFlag
	overflowFlag
	parityFlag
	allFlags = carryFlag | zeroFlag | signFlag | overflowFlag | parityFlag
)

// flagVariables are their names, and those of the variables.
var flagVariables = []struct {
	flag           flagSet
	name, variable string
}{
	{carryFlag, "carry", "carry$"}, {zeroFlag, "zero", "zero$"}, {signFlag, "sign", "sign$"}, {overflowFlag, "overflow", "overflow$"}, {parityFlag, "parity", "parity$"},
}

// usedBy are the flags on which a condition depends.
func usedBy(c string) flagSet {
	switch c {
	case "B", "AE":
		return carryFlag
	case "A", "BE":
		return carryFlag | zeroFlag
	case "E", "NE":
		return zeroFlag
	case "S", "NS":
		return signFlag
	case "O", "NO":
		return overflowFlag
	case "P", "NP":
		return parityFlag
	case "L", "GE":
		return signFlag | overflowFlag
	}
	return zeroFlag | signFlag | overflowFlag
}

// changed are the flags that an instruction sets, or leaves without meaning; always says that it does so whatever its
// operands.
func changed(i *x86.Instruction) (flags flagSet, always bool) {
	switch flagsOf(i) {
	case keeps:
		return 0, true
	case increments, decrements:
		return allFlags &^ carryFlag, true
	case tests:
		return allFlags &^ zeroFlag, true
	case rotates:
		return carryFlag | overflowFlag, true
	case flips:
		return carryFlag, true
	case perhaps:
		if i.Op == x86asm.ROL || i.Op == x86asm.ROR {
			return carryFlag | overflowFlag, false
		}
		return allFlags, false
	}
	return allFlags, true
}

// reader is the condition that an instruction looks at.
func reader(i *x86.Instruction) (string, bool) {
	switch i.Op {
	case x86asm.ADC, x86asm.SBB, x86asm.RCL, x86asm.RCR, x86asm.CMC:
		return "B", true
	}
	return condition(i.Op)
}

// store computes which instructions have to keep which flags in variables.
func (p *program) store(f *body) {
	wanted := map[uint64]flagSet{} // at the start of blocks
	for pass, changedAny := 0, true; changedAny || pass == 0; pass++ {
		changedAny = false
		for _, start := range f.order {
			b := f.blocks[start]
			known := make([]setters, len(b.code))
			for k, x := 0, f.setters[start]; k < len(b.code); k++ {
				known[k] = x
				x = x.step(&b.code[k])
			}
			var live flagSet
			for _, s := range b.successors {
				live |= wanted[s]
			}
			for k := len(b.code) - 1; k >= 0; k-- {
				i := &b.code[k]
				flags, always := changed(i)
				if keep := live & flags; keep != 0 {
					f.stores[i.Address] = keep
					f.needed[i.Address] = true
				}
				if always {
					live &^= flags
				}
				if c, ok := reader(i); ok {
					use := usedBy(c)
					if known[k].carry != several {
						use &^= carryFlag
					}
					if known[k].others != several {
						use &= carryFlag
					}
					live |= use
				}
			}
			if wanted[start]|live != wanted[start] {
				wanted[start] |= live
				changedAny = true
			}
		}
	}
}

// storeFlags writes what an instruction has to keep; a flag that it leaves without meaning may be anything.
func (w *writer) storeFlags(i *x86.Instruction, s *setter) {
	if w.dry {
		return
	}
	w.declareFlags(w.f.stores[i.Address])
	for _, x := range flagVariables {
		if w.f.stores[i.Address]&x.flag == 0 {
			continue
		}
		if value := s.flag(x.name); value != "" {
			w.line("%s = %s;", x.variable, value)
		} else {
			w.line("%s = __assay_approximate_size(\"the %s flag\") & 1;", x.variable, x.name)
		}
	}
}

// loseFlags writes that an instruction leaves flags without meaning.
func (w *writer) loseFlags(i *x86.Instruction) {
	if flagsOf(i) == clobbers {
		w.storeFlags(i, &setter{kind: clobbers})
	}
}

// declareFlags declares the variables of flags.
func (w *writer) declareFlags(flags flagSet) {
	for _, x := range flagVariables {
		if flags&x.flag != 0 {
			w.declareAs("u8", x.variable)
		}
	}
}
