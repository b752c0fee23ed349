package lift

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"assay/internal/program/binary/x86"
)

// This file computes what has to be known before a function is written: which registers it uses and
// changes, where its frame is, which places of the frame are variables, and who set the flags.

// callee is the function that an instruction calls, if the file defines it.
func (p *program) callee(f *body, i *x86.Instruction) (uint64, bool) {
	t, ok := i.Target()
	if !ok || i.Op != x86asm.CALL && i.Op != x86asm.JMP {
		return 0, false
	}
	if i.Op == x86asm.JMP && !p.functions.isTailCall(f.function, t) {
		return 0, false
	}
	if _, external := p.functions.external(t); external {
		return 0, false
	}
	return t, p.functions.code(t) != nil
}

// analyse computes all of it, for all functions.
func (p *program) analyse() {
	order := slices.Sorted(maps.Keys(p.bodies))
	p.usages(order)
	formats := false
	for _, a := range order {
		f := p.bodies[a]
		p.flow(f)
		formats = p.readFormats(f) || formats
	}
	if formats { // they say how many arguments a call has
		p.usages(order)
	}
	for _, a := range order {
		f := p.bodies[a]
		p.flags(f)
		p.lay(f)
		f.forgotten, f.overwrites = f.forgets()
	}
	for _, a := range order {
		f := p.bodies[a]
		if p.means(f.name) || f.blocks == nil {
			continue
		}
		for range 8 { // says which addresses of the frame are computed with
			escapes, wide, taken, lowest := f.escapes, f.wide, len(f.taken), f.lowest
			if (&writer{p: p, f: f, needed: f.needed, scan: true}).function(); f.escapes == escapes && f.wide == wide && len(f.taken) == taken && f.lowest == lowest {
				break
			}
			f.layout = nil
			p.lay(f)
		}
	}
	for changed := true; changed; { // what a caller uses behind a tail call, the callee's callee has to leave
		before := maps.Clone(p.results)
		for _, a := range order {
			if f := p.bodies[a]; !p.means(f.name) && f.blocks != nil {
				(&writer{p: p, f: f, needed: f.needed, scan: true}).function()
			}
		}
		changed = !maps.Equal(before, p.results)
	}
	if p.compares {
		p.data.joinAll()
	} else {
		p.data.join()
	}
}

// usages computes it for all functions: which registers are used and changed depends on the callees, until nothing changes.
func (p *program) usages(order []uint64) {
	for changed := true; changed; {
		changed = false
		for _, a := range order {
			f := p.bodies[a]
			before := [2]uint32{f.arguments, f.clobbered}
			p.usage(f)
			changed = changed || before != [2]uint32{f.arguments, f.clobbered}
		}
	}
}

// effect is what an instruction reads and writes.
func (p *program) effect(f *body, i *x86.Instruction) effect {
	w := &writer{p: p, f: f, dry: true, frame: &frame{}, block: &block{}}
	w.attempt(i)
	return effect{w.reads, w.writes}
}

// usage computes the effects of instructions, and which registers are used behind them.
func (p *program) usage(f *body) {
	clobbered := uint32(0)
	for at, i := range f.at {
		e := p.effect(f, i)
		f.effects[at] = e
		clobbered |= e.writes
	}
	f.clobbered = clobbered
	f.live = p.liveness(f, 0)
	f.entered = f.arguments
	// What a return finds in a register that was not written is no argument of a function that returns nothing there.
	p.liveness(f, 1<<rax|vectorResults)
}

// liveness computes which registers are used behind each instruction, and those that are when the function
// begins (arguments); some do not count at returns.
func (p *program) liveness(f *body, unreturned uint32) (behind map[uint64]uint32) {
	behind = map[uint64]uint32{}
	in := map[uint64]uint32{}
	for changed := true; changed; {
		changed = false
		for _, start := range slices.Backward(f.order) {
			b := f.blocks[start]
			var live uint32
			for _, s := range b.successors {
				live |= in[s]
			}
			for k := len(b.code) - 1; k >= 0; k-- {
				at := b.code[k].Address
				behind[at] = live
				e := f.effects[at]
				if b.code[k].Op == x86asm.RET {
					e.reads &^= unreturned
				}
				live = live&^e.writes | e.reads
			}
			if in[start] != live {
				in[start] = live
				changed = true
			}
		}
	}
	f.arguments = in[f.address]
	return behind
}

// flow computes the frame at the start of each block.
func (p *program) flow(f *body) {
	if f.blocks == nil {
		return
	}
	f.growths, f.levels = f.findGrowths(), map[int64]bool{}
	f.entry[f.address] = entryFrame(p.fixed(), p.relocated(), f.growths)
	f.entry[f.address].imported = p.functions.imported
	for work := []uint64{f.address}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		b, x := f.blocks[at], f.entry[at].clone()
		for k := range b.code {
			if x.grows(&b.code[k]) {
				f.noteLevel(x.registers[rsp])
			}
			x.step(&b.code[k], f.effects[b.code[k].Address].writes)
		}
		for _, s := range b.successors {
			old := f.entry[s]
			if old == nil {
				f.entry[s] = x.clone()
				work = append(work, s)
				continue
			}
			if before := old.registers[rsp]; before.kind != x.registers[rsp].kind {
				f.noteLevel(before)
				f.noteLevel(x.registers[rsp])
			}
			if !old.join(x) {
				continue
			}
			work = append(work, s)
		}
	}
}

// flags computes who set the flags at the start of each block, and whose flags are used.
func (p *program) flags(f *body) {
	if f.blocks == nil {
		return
	}
	known := map[uint64]bool{f.address: true}
	f.setters[f.address] = setters{}
	for work := []uint64{f.address}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		b, x := f.blocks[at], f.setters[at]
		for k := range b.code {
			x = x.step(&b.code[k])
		}
		for _, s := range b.successors {
			next := x
			if known[s] {
				next = f.setters[s].join(x)
			}
			if known[s] && next == f.setters[s] {
				continue
			}
			known[s], f.setters[s] = true, next
			work = append(work, s)
		}
	}
	for _, b := range f.blocks {
		x := f.setters[b.start]
		for k := range b.code {
			i := &b.code[k]
			if c, ok := reader(i); ok {
				carry, others := uses(c)
				if carry {
					f.needed[x.carry] = true
				}
				if others {
					f.needed[x.others] = true
				}
			}
			x = x.step(i)
		}
	}
	delete(f.needed, several)
	p.store(f)
}

// places are what accesses of a frame at known places touch.
type places struct {
	list []variable
	// low is the lowest place, call the lowest stack pointer at a call, saved the lowest place of a register
	// of the caller; 0 is none.
	low, call, saved int64
	// incoming is the end of the arguments on the stack, wide says that an access reaches from one into another.
	incoming int64
	wide     bool
}

func (p *program) places(f *body) (out places) {
	add := func(at int64, size int) {
		if at >= addressBytes {
			out.incoming = max(out.incoming, at+int64(size))
			out.wide = out.wide || at/addressBytes != (at+int64(size)-1)/addressBytes
		}
		if at < 0 && size > 0 {
			out.list = append(out.list, slotOf(at, size))
			out.low = min(out.low, at)
		}
	}
	for _, b := range f.blocks {
		x := f.entry[b.start]
		if x == nil {
			continue
		}
		x = x.clone()
		for k := range b.code {
			i := &b.code[k]
			for _, a := range i.Args {
				if m, ok := a.(x86asm.Mem); ok && i.Op != x86asm.LEA {
					if at := x.effective(i, m); at.kind == stack && (i.MemBytes == 1 || i.MemBytes == 2 || i.MemBytes == 4 || i.MemBytes == 8 || i.MemBytes == 16) {
						add(at.n, i.MemBytes)
					}
				}
			}
			switch sp := x.registers[rsp]; {
			case sp.kind != stack:
			case i.Op == x86asm.PUSH && x.value(i, i.Args[0]).isSaved():
				out.saved = min(out.saved, sp.n-8)
			case i.Op == x86asm.MOV && i.MemBytes == addressBytes && x.value(i, i.Args[1]).isSaved():
				if m, ok := i.Args[0].(x86asm.Mem); ok {
					if at := x.effective(i, m); at.kind == stack {
						out.saved = min(out.saved, at.n)
					}
				}
			case i.Op == x86asm.PUSH:
				add(sp.n-8, 8)
			case i.Op == x86asm.CALL:
				out.call = min(out.call, sp.n)
			}
			x.step(i, f.effects[i.Address].writes)
		}
	}
	return out
}

// slotOf is the variable of an access at a known place.
func slotOf(at int64, size int) variable {
	if size == 16 {
		return variable{element: "u64", size: addressBytes, count: 2, offset: at, slot: true}
	}
	return variable{element: fmt.Sprintf("u%d", 8*size), size: uint64(size), offset: at, slot: true}
}

// maxIncoming bounds the arguments on the stack, moreIncoming is how many there are where their addresses are computed with.
const maxIncoming, moreIncoming = 64, 8

// arguments are variables for arguments on the stack: one each, or one for all.
func (p *program) arguments(f *body, places places) (list []variable) {
	if f.name == "main" {
		return nil
	}
	f.wide = f.wide || places.wide
	f.incoming = int(min((places.incoming+addressBytes-1)/addressBytes-1, maxIncoming))
	if f.incoming = max(f.incoming, 0); f.wide { // how far they reach is a guess: accesses behind it are not supported
		guess, end := moreIncoming, int64(0)
		for _, v := range p.debug.locals[f.name] {
			if v.offset >= addressBytes {
				end = max(end, v.offset+int64(v.bytes()))
			}
		}
		if end > 0 {
			guess = int(min((end+addressBytes-1)/addressBytes-1, maxIncoming))
		}
		f.incoming = max(f.incoming, guess)
		return []variable{{name: "arguments", element: "u64", size: addressBytes, count: uint64(f.incoming), offset: addressBytes}}
	}
	for k := range f.incoming {
		list = append(list, variable{element: "u64", size: addressBytes, offset: addressBytes * int64(k+1)})
	}
	return list
}

// forgets finds the registers that hold addresses of the frame where that is not known any more, and whether one of them is
// that of an argument on the stack.
func (f *body) forgets() (registers uint32, argument bool) {
	effects := f.effects
	for _, start := range f.order {
		b, x := f.blocks[start], f.entry[start]
		if x == nil {
			continue
		}
		x = x.clone()
		for k := range b.code {
			x.step(&b.code[k], effects[b.code[k].Address].writes)
		}
		for _, s := range b.successors {
			to := f.blocks[s]
			if len(to.code) == 0 || f.entry[s] == nil {
				continue
			}
			first := to.code[0].Address
			live := f.live[first]&^effects[first].writes | effects[first].reads
			for r := range register(len(x.registers)) {
				if y := x.registers[r]; y.kind == stack && f.entry[s].registers[r] != y && live&(1<<r) != 0 {
					registers |= 1 << r
					argument = argument || y.n >= addressBytes
				}
			}
		}
	}
	return registers, argument
}

// regions are objects for what has no name and whose address is taken: each up to the next one, to a variable with a name, or to the
// registers of the caller.
func (f *body) regions(named []variable, saved int64) (list []variable) {
	taken := slices.Sorted(maps.Keys(f.taken))
	for k, at := range taken {
		end := saved
		if k+1 < len(taken) {
			end = taken[k+1]
		}
		for _, v := range named {
			if !v.slot && v.offset > at {
				end = min(end, v.offset)
			}
		}
		if end > at {
			list = append(list, variable{name: fmt.Sprintf("region_%x", -at), element: "u8", size: 1, count: uint64(end - at), offset: at})
		}
	}
	return list
}

// lay finds the variables of the frame: what debugging information names, and what accesses with
// a known place touch; those that share bytes are one. If the function computes with addresses of its frame
// that are not those of arrays with a name, all that lies below the registers of the caller is one object: as in
// the machine, what leaves an array comes to its neighbours there.
func (p *program) lay(f *body) {
	places := p.places(f)
	list := append(slices.Clone(p.debug.locals[f.name]), places.list...)
	if f.escapes {
		low := min(places.low, places.call, f.lowest)
		if places.call < 0 {
			low = places.call
		}
		for _, v := range p.debug.locals[f.name] {
			if places.call == 0 {
				low = min(low, v.offset)
			}
		}
		if level, ok := f.level(); ok { // below it are other objects; an index leads from there into the frame
			low = max(low, level)
		}
		if low < places.saved {
			list = slices.DeleteFunc(list, func(v variable) bool { return v.offset >= low && v.offset < places.saved })
			list = append(list, variable{name: "frame", element: "u8", size: 1, count: uint64(places.saved - low), offset: low})
		}
	}
	list = slices.DeleteFunc(list, func(v variable) bool { return v.offset >= 0 || v.offset+int64(v.bytes()) > 0 })
	if !f.escapes {
		list = append(list, f.regions(list, places.saved)...)
	}
	list = append(list, p.arguments(f, places)...)
	slices.SortStableFunc(list, func(a, b variable) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(b.bytes(), a.bytes()))
	})
	taken := map[string]bool{}
	for _, v := range list {
		if n := len(f.layout); n > 0 {
			last := f.layout[n-1]
			end := last.offset + int64(last.bytes())
			if v.offset < end {
				if v.offset+int64(v.bytes()) > end || v.name != "" && last.name != "" { // shared: bytes
					end = max(end, v.offset+int64(v.bytes()))
					*last = variable{name: last.name, element: "u8", size: 1, count: uint64(end - last.offset), offset: last.offset}
				} else if last.name == "" && v.name != "" && v.offset == last.offset && v.bytes() == last.bytes() {
					*last = v
				}
				continue
			}
		}
		f.layout = append(f.layout, &v)
	}
	for _, v := range f.layout {
		if v.name == "" {
			if v.name = fmt.Sprintf("s_%x", -v.offset); v.offset > 0 {
				v.name = fmt.Sprintf("argument_at_%d", v.offset)
			}
		}
		name := v.name
		for k := 1; taken[name] || p.taken[name] || keywords[name]; k++ {
			name = fmt.Sprintf("%s_%d", v.name, k)
		}
		if f.escapes && v.name == "frame" {
			f.whole = name
		}
		v.name, taken[name] = name, true
	}
}
