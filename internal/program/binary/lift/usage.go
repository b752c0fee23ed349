package lift

import "golang.org/x/arch/x86/x86asm"

// This file says how much of the stack an activation of a function takes: from the return address down to the lowest place that the
// stack pointer comes to, or that is accessed below it, in the red zone [psABI, 3.2.2]. What the functions take that it calls
// is theirs. That is exact for the machine, but for paths that no run takes.

// Usage is what an activation takes, in bytes.
type Usage struct {
	Bytes int64
	// Dynamic says that it takes more, of a size that is computed, or that the stack pointer is not known somewhere.
	Dynamic bool
}

// stackOf is what a function takes.
func (p *program) stackOf(f *body) Usage {
	u := Usage{Dynamic: len(f.growths) > 0}
	low := int64(0)
	note := func(sp fact) {
		if sp.kind != stack {
			u.Dynamic = true
		}
		low = min(low, sp.n)
	}
	for _, b := range f.blocks {
		x := f.entry[b.start]
		if x == nil {
			continue
		}
		x = x.clone()
		for k := range b.code {
			i := &b.code[k]
			note(x.registers[rsp])
			for _, a := range i.Args {
				if m, ok := a.(x86asm.Mem); ok && i.Op != x86asm.LEA {
					if at := x.effective(i, m); at.kind == stack {
						low = min(low, at.n)
					} else if base, _, _, ok := registerOf(m.Base); ok && x.registers[base].kind == stack { // an array from here on
						low = min(low, x.registers[base].n+m.Disp)
					}
				}
			}
			x.step(i, f.effects[i.Address].writes)
			if i.Op != x86asm.RET { // which leaves the activation
				note(x.registers[rsp])
			}
		}
	}
	u.Bytes = addressBytes - low
	return u
}
