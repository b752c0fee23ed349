package harness

import (
	"slices"

	"assay/internal/program/llvm"
)

// This file finds arrays that end with an element of zeros, by loops that end where an element is 0, or a member of it:
//
//	for (i = 0; opts[i].name; i++) …      for (; *list; list++) …
//
// Elements of one byte are strings, which uses.go knows; of these it finds those that are read to their end whatever is in them, by a loop that
// nothing else ends. What the loop writes before it looks for the 0 is no such array: it is filled in.

// walk is where an array begins that a function walks along so, as a value, or as a place that moves.
type walk struct {
	base llvm.Value
	// alone says that nothing else ends the loop.
	alone bool
}

// walks are those of a function.
func (u *uses) walks() (list []walk) {
	for _, b := range u.f.Blocks {
		for _, i := range b.Instrs {
			if i.Op != llvm.ICmp || i.Pred != llvm.IntEQ && i.Pred != llvm.IntNE || !isZero(i.Args[1]) {
				continue
			}
			load, ok := root(i.Args[0]).(*llvm.Inst)
			if !ok || load.Op != llvm.Load {
				continue
			}
			base, head := u.moving(load.Args[0], 2)
			if head == nil {
				continue
			}
			w := walk{base: base}
			if body := u.loop(head); endsOnZero(body, i) && !u.filled(head, body, load) {
				if w.alone = endsOnlyOnZero(body, i); !slices.Contains(list, w) {
					list = append(list, w)
				}
			}
		}
	}
	return list
}

// readToEnd are the addresses where strings begin that loops read which end where a byte is 0, and nowhere else.
func (u *uses) readToEnd() (list []llvm.Value) {
	for _, b := range u.f.Blocks {
		for _, i := range b.Instrs {
			if i.Op != llvm.ICmp || i.Pred != llvm.IntEQ && i.Pred != llvm.IntNE || !isZero(i.Args[1]) {
				continue
			}
			load, ok := root(i.Args[0]).(*llvm.Inst)
			if !ok || load.Op != llvm.Load || load.Type.Kind != llvm.IntType || load.Type.Bits != 8 {
				continue
			}
			if base, head := u.moving(load.Args[0], 1); head != nil {
				if body := u.loop(head); endsOnlyOnZero(body, i) {
					list = append(list, base)
				}
			}
		}
	}
	return list
}

// exits is how many edges lead out of a loop, but for those to blocks that end the program.
func exits(body map[*llvm.Block]bool) (n int) {
	for b := range body {
		last := b.Instrs[len(b.Instrs)-1]
		if len(last.Blocks) == 0 {
			n++
		}
		for _, s := range last.Blocks {
			if leaves(body, s) {
				n++
			}
		}
	}
	return n
}

// leaves says that a block is where a loop is left, and the program does not end.
func leaves(body map[*llvm.Block]bool, b *llvm.Block) bool {
	return !body[b] && b.Instrs[len(b.Instrs)-1].Op != llvm.Unreachable
}

// filled says that a loop always writes to the address from which it loads, or passes it on, before it does.
func (u *uses) filled(head *llvm.Block, body map[*llvm.Block]bool, load *llvm.Inst) bool {
	writes := func(i *llvm.Inst) bool {
		switch i.Op {
		case llvm.Store:
			return sameAddress(i.Args[1], load.Args[0])
		case llvm.Call:
			return slices.ContainsFunc(i.Args, func(a llvm.Value) bool { return sameAddress(a, load.Args[0]) })
		}
		return false
	}
	for _, i := range u.block[load].Instrs {
		if i == load {
			break
		}
		if writes(i) {
			return true
		}
	}
	// Is there a way from the head to the load without a block that writes?
	seen := map[*llvm.Block]bool{head: true}
	for work := []*llvm.Block{head}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == u.block[load] {
			return false
		}
		if slices.ContainsFunc(b.Instrs, writes) {
			continue
		}
		for _, s := range b.Instrs[len(b.Instrs)-1].Blocks {
			if body[s] && !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return true
}

// sameAddress says that two values are the same, or computed in the same way from the same ones.
func sameAddress(a, b llvm.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*llvm.Inst)
	y, same := b.(*llvm.Inst)
	return ok && same && x.Op == llvm.GetElementPtr && y.Op == llvm.GetElementPtr && x.Elem == y.Elem && slices.EqualFunc(x.Args, y.Args, func(a, b llvm.Value) bool {
		r, n := rooted(a)
		s, m := rooted(b)
		return r == s && n == m
	})
}

func isZero(v llvm.Value) bool {
	c, ok := v.(*llvm.Const)
	return ok && (c.Kind == llvm.ZeroConst || c.Kind == llvm.IntConst && c.Bits.IsZero())
}

// moving is where an address begins that moves in a loop by elements of so many bytes at least, and the head of that loop; nil if it does not.
func (u *uses) moving(v llvm.Value, size uint64) (base llvm.Value, head *llvm.Block) {
	for {
		i, ok := v.(*llvm.Inst)
		if !ok {
			return nil, nil
		}
		switch i.Op {
		case llvm.Phi:
			if !steps(i) {
				return nil, nil
			}
			return i, u.block[i]
		case llvm.GetElementPtr:
			if i.Elem.Size < size {
				return nil, nil
			}
			if phi, ok := root(i.Args[1]).(*llvm.Inst); ok && phi.Op == llvm.Phi && steps(phi) {
				return i.Args[0], u.block[phi]
			}
			if !isConst(i.Args[1]) && !isZero(i.Args[1]) {
				return nil, nil
			}
			v = i.Args[0]
		default:
			return nil, nil
		}
	}
}

// endsOnZero says that a loop is left where a comparison with 0 finds it.
func endsOnZero(body map[*llvm.Block]bool, compared *llvm.Inst) bool {
	for b := range body {
		last := b.Instrs[len(b.Instrs)-1]
		if last.Op != llvm.Br || len(last.Blocks) != 2 {
			continue
		}
		same, inverted := decides(last.Args[0], compared)
		if !same && !inverted {
			continue
		}
		zero, other := last.Blocks[0], last.Blocks[1]
		if (compared.Pred == llvm.IntNE) == same {
			zero, other = other, zero
		}
		if !body[zero] && body[other] {
			return true
		}
	}
	return false
}

// endsOnlyOnZero says that nothing else leaves the loop.
func endsOnlyOnZero(body map[*llvm.Block]bool, compared *llvm.Inst) bool {
	if exits(body) != 1 || !endsOnZero(body, compared) {
		return false
	}
	for b := range body {
		last := b.Instrs[len(b.Instrs)-1]
		if len(last.Blocks) != 2 || !leaves(body, last.Blocks[0]) && !leaves(body, last.Blocks[1]) {
			continue
		}
		for c, ok := last.Args[0].(*llvm.Inst); ok && c != compared; c, ok = c.Args[0].(*llvm.Inst) {
			if c.Op != llvm.Xor {
				return false // as && makes it
			}
		}
	}
	return true
}

// decides says that a condition is a comparison, or its negation, or false or the comparison, as && makes it.
func decides(condition llvm.Value, compared *llvm.Inst) (same, inverted bool) {
	i, ok := condition.(*llvm.Inst)
	switch {
	case !ok:
		return false, false
	case i == compared:
		return true, false
	case i.Op == llvm.Xor && len(i.Args) == 2 && !isZero(i.Args[1]) && isConst(i.Args[1]):
		same, inverted = decides(i.Args[0], compared)
		return inverted, same
	case i.Op == llvm.Phi:
		for _, a := range i.Args {
			if a == llvm.Value(compared) {
				return true, false
			}
		}
	}
	return false, false
}

// loop is the natural loop with a head: the blocks from which it comes back to the head without passing it.
func (u *uses) loop(head *llvm.Block) map[*llvm.Block]bool {
	before := map[*llvm.Block][]*llvm.Block{}
	for _, b := range u.f.Blocks {
		for _, s := range b.Instrs[len(b.Instrs)-1].Blocks {
			before[s] = append(before[s], b)
		}
	}
	// What the head leads to.
	after := map[*llvm.Block]bool{}
	for work := []*llvm.Block{head}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Instrs[len(b.Instrs)-1].Blocks {
			if !after[s] {
				after[s] = true
				work = append(work, s)
			}
		}
	}
	body := map[*llvm.Block]bool{head: true}
	var work []*llvm.Block
	for _, b := range before[head] {
		if after[b] {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !body[b] && after[b] {
			body[b] = true
			work = append(work, before[b]...)
		}
	}
	return body
}

// lookForWalks finds the members that lead to such arrays: they are walked along where they are read, or by a function that they are passed to.
func (in *inference) lookForWalks() {
	in.walked = map[place]bool{}
	for _, f := range in.p.Functions {
		if f.Blocks == nil || f.Library {
			continue
		}
		u := in.usesOf(f)
		for _, w := range u.walks() {
			values := []llvm.Value{w.base}
			if phi, ok := w.base.(*llvm.Inst); ok && phi.Op == llvm.Phi {
				values = phi.Args
			}
			for _, v := range values {
				if x, ok := loaded(v); ok {
					in.walked[x] = true
				}
			}
		}
		for _, call := range u.calls {
			callee, ok := call.Callee.(*llvm.Function)
			if !ok || callee.Blocks == nil || callee.Library {
				continue
			}
			for k, a := range call.Args {
				if x, ok := loaded(a); ok && k < len(callee.Params) && in.summaries(callee, callDepth)[k].ended {
					in.walked[x] = true
				}
			}
		}
	}
}
