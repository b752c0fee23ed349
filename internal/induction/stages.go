package induction

import (
	"context"
	"slices"

	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/smt"
	"assay/internal/term"
)

// This file finds rules a nest of loops at a time, in the order in which runs come
// to them. A stage is a set of loops such that the visits of their heads in the
// formula, which is laid out in the order of execution, do not mix with those of
// others: in a program of loops one after the other, a nest is a stage.
//
//	(S1) What was proved in a stage is settled: from then on it is not only assumed
//	     at early visits, but at the others, too. It is a consequence: no run of the
//	     formula breaks it there.
//	(S2) So the proof of a stage looks at what the stage before has left behind,
//	     and no further back: its cost does not grow with the number of stages.
//	(S3) For predicates with ranges the instances of a hypothesis are those for
//	     elements that are read in its stage or in the next one.
//
// Within a stage all is proved together: equations between scalars, equations
// between elements of segments (spans.go), and guesses of other kinds. What a model
// breaks grows to hold in it (equations) or is dropped (guesses), until no model is left.

// stage is a set of loops, with the places of the first and the last of their visits.
type stage struct {
	loops    []*Loop
	from, to int
}

// findStages sets the stages.
func (f *formula) findStages(loops []*Loop) {
	var all []stage
	for _, l := range loops {
		vs := f.visits[l]
		if len(vs) == 0 {
			continue
		}
		s := stage{[]*Loop{l}, vs[0].order, vs[0].order}
		for _, v := range vs {
			s.from, s.to = min(s.from, v.order), max(s.to, v.order)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b stage) int { return a.from - b.from })
	f.stageOf = map[*Loop]int{}
	for _, s := range all {
		if n := len(f.stages); n > 0 && s.from <= f.stages[n-1].to {
			last := &f.stages[n-1]
			last.loops, last.to = append(last.loops, s.loops...), max(last.to, s.to)
		} else {
			f.stages = append(f.stages, s)
		}
		f.stageOf[s.loops[0]] = len(f.stages)
	}
}

// near says whether a hypothesis is used for what is read at a place (S3).
func (f *formula) near(h *hypothesis, order int) bool {
	n := f.stageOf[h.rule.Loop]
	if n == 0 {
		return true
	}
	if order < f.stages[n-1].from {
		return false
	}
	return n+1 >= len(f.stages) || order < f.stages[n+1].from
}

// settled lets a rule hold at all visits, where its flag is set.
func (f *formula) settled(r *rule, n int) {
	st := f.st
	r.stage, r.settled = n, st.Fresh("settled", term.Bool())
	for i := range f.visits[r.Loop] {
		v := &f.visits[r.Loop][i]
		late := st.And(v.guard, st.Not(v.early))
		if st.IsFalse(late) {
			continue
		}
		if r.Predicate.Range != nil {
			f.suppose(&hypothesis{rule: r, visit: v, settled: true, used: map[term.ID]bool{}})
		} else {
			f.solver.Assert(st.Implies(st.And(r.settled, late), f.holds(&r.Predicate, r.Loop, v)))
			if p := &r.Predicate; p.Relation == invariant.Congruent && len(p.Terms) > 1 && len(p.If) == 0 {
				f.solver.Assert(st.Implies(st.And(r.settled, late), f.inOneCase(p, f.places[r.Loop], f.words(v))))
				f.link(p, r.Loop, v)
			}
		}
	}
}

// words are the values at a visit as words of their own. An equation between them is
// about what other formulas compare as it is; in the one between their terms sums are taken
// apart, which helps to prove it, and not to use it.
func (f *formula) words(v *visit) []term.ID {
	if v.words == nil {
		v.words = make([]term.ID, len(v.values))
		for i, x := range v.values {
			v.words[i] = x
			if op := f.st.Op(x); op != term.OpVar && op != term.OpConst {
				v.words[i] = f.st.Fresh("word", f.st.Sort(x))
				f.solver.Assert(f.st.Eq(v.words[i], x))
			}
		}
	}
	return v.words
}

// link says what a solver is slow to see bit by bit: that x <= y and not x < y make x
// and y equal, and then their multiples; for integers x of an equation that the loop
// changes and others y of its head, for a loop often ends where one has come to the other.
func (f *formula) link(p *invariant.Predicate, l *Loop, v *visit) {
	st, places, words := f.st, f.places[l], f.words(v)
	for _, t := range p.Terms {
		i := slices.Index(places, placeOf(t))
		if t.Bits < 8 || !t.Cell && l.Func.Def(t.Value).Block != l.Head {
			continue
		}
		for j, y := range places {
			if j == i || y.bits != t.Bits || y.float || y.cell && words[j] == words[i] {
				continue
			}
			key := linked{v, i, j, t.Coeff}
			if f.linked[key] {
				continue
			}
			if f.linked == nil {
				f.linked = map[linked]bool{}
			}
			f.linked[key] = true
			a, b := v.values[i], v.values[j]
			equal := st.Eq(words[i], words[j])
			// As one formula the comparisons would become the equation of a and b.
			most := st.Fresh("most", term.Bool())
			f.solver.Assert(st.Implies(st.SLe(a, b), most))
			f.solver.Assert(st.Implies(st.And(most, st.Not(st.SLt(a, b))), equal))
			if c := uint64(abs(t.Coeff)); c&(c-1) != 0 {
				k := st.ConstU(t.Bits, c)
				f.solver.Assert(st.Implies(equal, st.Eq(st.Mul(words[i], k), st.Mul(words[j], k))))
				f.solver.Assert(st.Implies(equal, st.Eq(st.Mul(words[i], k), st.Mul(b, k))))
			}
		}
	}
}

// linked is what link has done.
type linked struct {
	visit *visit
	x, y  int
	coeff int64
}

// before lists the assumptions for a question about a stage: these rules are on,
// and what was settled before the stage is.
func (f *formula) before(n int, on []*rule) []term.ID {
	ts := f.given(on, f.held)
	for _, r := range on {
		if r.settled != 0 && r.stage < n {
			ts = append(ts, r.settled)
		}
	}
	return ts
}

// staged says whether there is something to find in stages; in order means little if
// recursive functions stand for each other, and where properties are decided one by one
// there is no order of what may be assumed.
func (p *prover) staged() bool {
	return len(p.ranged)+len(p.spans) > 0 && len(p.recursive) == 0 && !p.separate
}

// manyStages says that there are so many loops one after the other that all of them together
// cost more than one by one.
func (p *prover) manyStages() bool {
	outer := 0
	for _, l := range p.loops {
		if !slices.ContainsFunc(p.loops, func(o *Loop) bool { return o != l && o.Func == l.Func && o.in[l.Head] }) {
			outer++
		}
	}
	return outer > 1 && p.staged()
}

// equationsInOrder finds equations stage by stage, and bounds of variables that count.
func (p *prover) equationsInOrder(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	return p.inOrder(ctx, f, on, (*work).tryEquations)
}

// boundsInOrder finds bounds of other integers and of elements.
func (p *prover) boundsInOrder(ctx context.Context, f *formula, on []*rule) ([]*rule, error) {
	return p.inOrder(ctx, f, on, (*work).tryBounds)
}

// inOrder finds rules stage by stage; begin says what is tried in one.
func (p *prover) inOrder(ctx context.Context, f *formula, on []*rule, begin func(*work, []*Loop)) ([]*rule, error) {
	for _, r := range on {
		if r.settled == 0 {
			f.settled(r, 0)
		}
	}
	f.saturate()
	for n := range f.stages {
		w := &work{p: p, f: f, n: n + 1, on: on}
		begin(w, f.stages[n].loops)
		if err := w.run(ctx); err != nil {
			return on, err
		}
		rules := w.rules()
		for _, r := range rules {
			f.settled(r, n+1)
		}
		f.saturate()
		on = append(on, rules...)
	}
	return on, nil
}

// work is the search in one stage.
type work struct {
	p  *prover
	f  *formula
	n  int
	on []*rule // of earlier stages

	scalars []*element
	spans   []*span
	pool    *pool
	models  int // that weakened something
	// hard counts how often a question about a rule cost too much.
	hard map[*rule]int
}

// Limits on the work of a query of a stage, in conflicts.
const (
	stageConflicts = 1500
	singlyConflict = 500
)

// tryEquations begins with equations of scalars and of segments, and bounds of what
// counts: of phis to which iterations add constants.
func (w *work) tryEquations(loops []*Loop) {
	p, f := w.p, w.f
	in := func(l *Loop) bool { return slices.Contains(loops, l) }
	for _, e := range p.elements(f, func(l *Loop) [][]invariant.Predicate {
		if in(l) {
			return [][]invariant.Predicate{nil}
		}
		return nil
	}) {
		w.scalars = append(w.scalars, e)
		e.update(f)
	}
	for _, s := range p.spans {
		if in(s.loop) {
			c := s.fork()
			w.spans = append(w.spans, c)
			c.update(f)
		}
	}
	var all []Candidate
	for _, c := range p.all {
		counts := true
		c.Predicate.Each(func(t invariant.Term) { counts = counts && !t.Float && (!w.changes(c.Loop, t) || c.Loop.counts(t)) })
		if in(c.Loop) && counts && c.Predicate.Relation == invariant.AtMost {
			all = append(all, c)
		}
	}
	w.try(all)
}

// tryBounds begins with all bounds.
func (w *work) tryBounds(loops []*Loop) {
	var all []Candidate
	for _, cs := range [][]Candidate{w.p.all, w.p.ranged} {
		for _, c := range cs {
			if slices.Contains(loops, c.Loop) && c.Predicate.Relation == invariant.AtMost {
				all = append(all, c)
			}
		}
	}
	w.try(all)
}

// changes says whether a loop may change what a term names.
func (w *work) changes(l *Loop, t invariant.Term) bool {
	return t.Cell || l.Func.Def(t.Value).Block == l.Head
}

// counts says that iterations of the loop add constants to a phi of its head.
func (l *Loop) counts(t invariant.Term) bool {
	d := l.Func.Def(t.Value)
	if t.Cell || d.Op != ir.Phi {
		return false
	}
	self := form{products: []product{{1, atom{place: place{value: t.Value, bits: d.Type.Bits}}}}}
	for i, p := range l.Func.Blocks[l.Head].Preds {
		if !l.in[p] {
			continue
		}
		x, ok := linear(l.Func, d.Args[i], 0)
		if !ok {
			return false
		}
		if _, ok := x.minus(self).isConstant(); !ok {
			return false
		}
	}
	return true
}

// try adds guesses, but those that are known to hold.
func (w *work) try(all []Candidate) {
	f := w.f
	known := map[string]bool{}
	for _, r := range w.on {
		known[textOf(r.Candidate)] = true
	}
	all = slices.DeleteFunc(all, func(c Candidate) bool { return known[textOf(c)] })
	w.pool = &pool{f: f, rows: newRows(all), all: all, rule: make([]*rule, len(all)), effort: 1}
	for i := range all {
		w.pool.on = append(w.pool.on, i)
	}
	w.pool.on = w.pool.rows.strongest(w.pool.on)
	w.pool.enter()
}

// rules are those that are tried.
func (w *work) rules() []*rule {
	var out []*rule
	for _, e := range w.scalars {
		out = append(out, e.rules...)
	}
	for _, s := range w.spans {
		out = append(out, s.rules...)
	}
	return append(out, w.pool.rules()...)
}

// run goes on until the rules of the stage are inductive together, with what was
// settled before.
func (w *work) run(ctx context.Context) error {
	f := w.f
	defer f.solver.SetConflictLimit(0)
	for {
		w.p.stats.Rounds++
		rules := w.rules()
		if len(rules) == 0 {
			return nil
		}
		f.solver.SetConflictLimit(stageConflicts)
		status, err := f.checkLoosely(ctx, append(f.before(w.n, append(slices.Clone(w.on), rules...)), f.any(rules))...)
		switch {
		case err != nil && !limited(err):
			return err
		case status == smt.Unsat:
			return nil
		case status == smt.Sat:
			w.weaken()
		default:
			if done, err := w.singly(ctx); done || err != nil {
				return err
			}
		}
	}
}

// weaken lets what the model breaks hold in it; after many models it is given up.
func (w *work) weaken() {
	f := w.f
	w.models++
	giveUp := w.models > maxRounds
	broken := func(r *rule) bool { return f.isTrue(r.broken) }
	var scalars []*element
	var spans []*span
	for _, e := range w.scalars {
		if slices.ContainsFunc(e.rules, broken) {
			e.lost = e.lost || giveUp
			e.joinModel(f)
			scalars = append(scalars, e)
		}
	}
	for _, s := range w.spans {
		if slices.ContainsFunc(s.rules, broken) {
			s.lost = s.lost || giveUp
			s.joinModel(f)
			spans = append(spans, s)
		}
	}
	out := map[int]bool{}
	for _, i := range w.pool.on {
		out[i] = broken(w.pool.rule[i])
	}
	// The model is gone from here on.
	w.forget(func() {
		for _, e := range scalars {
			e.update(f)
		}
		for _, s := range spans {
			s.update(f)
		}
		w.pool.drop(func(i int) bool { return out[i] })
	})
}

// forget makes a change, after which what rested on rules that are gone is open
// again.
func (w *work) forget(change func()) {
	before := w.rules()
	change()
	now := map[*rule]bool{}
	for _, r := range w.rules() {
		now[r] = true
	}
	gone := map[*rule]bool{}
	for _, r := range before {
		gone[r] = !now[r]
	}
	for r := range now {
		if slices.ContainsFunc(r.uses, func(u *rule) bool { return gone[u] }) {
			r.holds, r.uses = false, nil
		}
	}
}

// maxHard is how often a rule is asked about with more and more work.
const maxHard = 3

// singly asks about one rule after the other, those that were hard last: what is wrong
// may be gone by then. It is done if all hold.
func (w *work) singly(ctx context.Context) (done bool, err error) {
	f := w.f
	if w.hard == nil {
		w.hard = map[*rule]int{}
	}
	for {
		rules := w.rules()
		var r *rule
		for _, x := range rules {
			if !x.holds && (r == nil || w.hard[x] < w.hard[r]) {
				r = x
			}
		}
		if r == nil {
			return true, nil
		}
		f.solver.SetConflictLimit(singlyConflict << (2 * w.hard[r]))
		all := append(slices.Clone(w.on), rules...)
		status, err := f.checkLoosely(ctx, append(f.before(w.n, all), r.broken)...)
		switch {
		case err != nil && !limited(err):
			return false, err
		case status == smt.Unsat:
			r.holds, r.uses = true, f.core(all)
		case status == smt.Sat:
			w.weaken()
		default:
			if w.hard[r]++; w.hard[r] == maxHard {
				w.giveUp(r)
			}
		}
	}
}

// core are the rules that the last proof used.
func (f *formula) core(rules []*rule) []*rule {
	byFlag := map[term.ID]*rule{}
	for _, r := range rules {
		byFlag[r.flag] = r
		if r.settled != 0 {
			byFlag[r.settled] = r
		}
	}
	var out []*rule
	for _, t := range f.solver.Core() {
		if r := byFlag[t]; r != nil && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// giveUp drops a rule that costs too much.
func (w *work) giveUp(r *rule) {
	f := w.f
	w.forget(func() {
		for _, e := range w.scalars {
			if slices.Contains(e.rules, r) {
				e.lost = true
				e.update(f)
			}
		}
		for _, s := range w.spans {
			if slices.Contains(s.rules, r) {
				s.refuse(r)
				s.update(f)
			}
		}
		w.pool.drop(func(i int) bool { return w.pool.rule[i] == r })
	})
}

// inStages says whether some rule was proved in a stage.
func inStages(on []*rule) bool {
	return slices.ContainsFunc(on, func(r *rule) bool { return r.settled != 0 })
}

// neededInOrder is needed for rules that were proved in stages.
func (f *formula) neededInOrder(ctx context.Context, bad term.ID, on []*rule) ([]*rule, error) {
	have := map[*rule]bool{}
	ask := func(n int, goal term.ID) error {
		if f.st.IsFalse(goal) {
			return nil
		}
		status, err := f.check(ctx, append(f.before(n, on), goal)...)
		if err != nil {
			return err
		}
		if status != smt.Unsat {
			return errNoProof // an instance is missing
		}
		for _, r := range f.core(on) {
			have[r] = true
		}
		return nil
	}
	last := len(f.stages) + 1
	if err := ask(last, bad); err != nil {
		return nil, err
	}
	for again := true; again; {
		before := len(have)
		for n := last - 1; n >= 0; n-- {
			for size := -1; size < len(have); {
				size = len(have)
				goal := f.st.False()
				for _, r := range on {
					if have[r] && r.stage == n {
						goal = f.st.Or(goal, r.broken)
					}
				}
				if err := ask(n, goal); err != nil {
					return nil, err
				}
			}
		}
		again = len(have) > before
	}
	var out []*rule
	for _, r := range on {
		if have[r] {
			out = append(out, r)
		}
	}
	return out, nil
}
