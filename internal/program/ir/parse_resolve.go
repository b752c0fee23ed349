package ir

// The end of a function's text: values get their numbers, labels become blocks,
// and what follows from the rest is filled in.

import "assay/internal/logic/bv"

// finish gives values their numbers, resolves labels, and fills in what follows
// from the rest of the function.
func (p *funcParser) finish() {
	p.number()
	f := p.f
	for b := 1; b < len(f.Blocks); b++ {
		if len(f.Blocks[b].Instrs) == 0 {
			p.failf("block %d of @%s is empty", b, f.Name)
		}
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			for i, s := range d.Succs {
				d.Succs[i] = p.label(int(s))
			}
		}
	}
	f.ComputePreds()
	for b, uses := range p.preds {
		f.Blocks[b].Preds = nil
		for _, u := range uses {
			f.Blocks[b].Preds = append(f.Blocks[b].Preds, p.label(u))
		}
	}
	for _, a := range p.phis {
		p.matchPhi(a)
	}
}

func (p *funcParser) label(u int) BlockID {
	m := p.mentions[u]
	b := p.blocks[m.label]
	if b == 0 {
		p.failAt(m.line, m.col, "undefined label %s", m.label)
	}
	return b
}

// number replaces provisional numbers by final ones.
func (p *funcParser) number() {
	count := len(p.defined)
	final := make([]Value, len(p.values))
	taken := map[Value]bool{}
	most := p.least
	for v := 1; v < len(p.values); v++ {
		q := &p.values[v]
		if !q.isDefined {
			p.failAt(q.line, q.col, "undefined value %%%s", q.name)
		}
		if q.number != 0 {
			final[v], taken[q.number] = q.number, true
			most = max(most, int(q.number))
		}
	}
	if most > 16*(count+64) {
		p.failf("@%s has %d values but numbers up to %d", p.f.Name, count, most)
	}
	next := Value(1)
	for _, v := range p.defined {
		if final[v] == 0 {
			for taken[next] {
				next++
			}
			final[v] = next
			most = max(most, int(next))
			next++
		}
	}
	renumber := func(vs []Value) {
		for i, v := range vs {
			vs[i] = final[v]
		}
	}
	p.f.Values = make([]Def, most+1)
	for v := 1; v < len(p.values); v++ {
		renumber(p.values[v].def.Args)
		p.f.Values[final[v]] = p.values[v].def
	}
	renumber(p.f.Params)
	for b := range p.f.Blocks {
		renumber(p.f.Blocks[b].Instrs)
	}
	for i := range p.phis {
		p.phis[i].phi = final[p.phis[i].phi]
		renumber(p.phis[i].args)
	}
	for _, v := range p.defined {
		q := &p.values[v]
		d := p.f.Def(final[v])
		if d.Op == GlobalAddr && q.name == "" {
			p.symbols = append(p.symbols, symbolUse{d, q.line, q.col})
		}
		for _, c := range q.cases {
			t := p.f.Type(d.Args[0])
			if t.Kind != Int || c.BitLen() > int(t.Bits) {
				p.failAt(q.line, q.col, "case %s is no value of type %s", c, t)
			}
			d.Cases = append(d.Cases, bv.FromBig(t.Bits, c))
		}
	}
}

// matchPhi brings the arguments of a phi into the order of the predecessors.
// Several edges from one block take its arguments in their order.
func (p *funcParser) matchPhi(a phiArgs) {
	d := p.f.Def(a.phi)
	preds := p.f.Blocks[d.Block].Preds
	from := make([]BlockID, len(a.from))
	for i, u := range a.from {
		from[i] = p.label(u)
	}
	if len(preds) != len(from) {
		p.failf("phi %%%d of @%s has %d arguments for %d predecessors", a.phi, p.f.Name, len(from), len(preds))
	}
	for _, q := range preds {
		i := 0
		for i < len(from) && from[i] != q {
			i++
		}
		if i == len(from) {
			p.failf("phi %%%d of @%s has no argument for block %d", a.phi, p.f.Name, q)
		}
		d.Args = append(d.Args, a.args[i])
		from[i] = 0
	}
}
