package trial

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/run/pause"
)

// This file searches by evolution, as greybox fuzzers do [Zalewski13]: an input whose run takes a way through the program that none took before is
// kept, and changed. So a parser is learned step by step, of which a guess passes the
// first step at most.
//
//	(V1) An input is the answers of each place that asks, in their order; a place
//	     that asks more often than before gets new answers. So a change of one
//	     answer leaves those of other places what they were.
//	(V2) A way is an edge between blocks, entered 1, 2, 3, 4 to 7, 8 to 15, ... times.
//	(V3) A run that breaks an assumption is made again with another answer in the
//	     last place that was asked: mostly it is this one that the assumption is about.
//	(V4) Contents (of what the program reads, of its arguments) are made of the
//	     characters and strings that the program mentions.
//	(V5) Where small values pass an assumption and great ones do not, the greatest that
//	     passes is looked for by halving: buffers that are full are where programs fail.
//
// Nothing here is trusted: what counts is the run, as for all trials.

// Limits of the search.
const (
	evolvedSteps = 1 << 16 // of a run
	staleRuns    = 3000    // without a new way, after which, and
	staleWork    = 1 << 24 // after so many steps, there is no hope
	runWork      = 1 << 9  // what it costs to begin a run, in steps
	maxKept      = 2000
	maxContent   = 1 << 12 // bytes that are chosen of an object
	retries      = 6
	largeValue   = 1 << 13 // above, a value is no size that a buffer is likely to have
)

// evolutionWork bounds the steps of all evolved runs, and what it costs to begin them.
const evolutionWork = 1 << 29

// work is what the runs so far took, in steps.
func (s Stats) work() int64 { return s.Steps + runWork*int64(s.Runs) }

// place is an instruction that asks.
type place struct {
	f *ir.Func
	v ir.Value
}

// visit is the n-th question of a place, the later ones together.
type visit struct {
	place
	n int
}

// span is the greatest value that broke no assumption, and the least above it that perhaps did, 0 if there is none.
type span struct{ most, tooMuch uint64 }

// gene is one answer: a value, or a content of which the bytes behind the last one are fill.
type gene struct {
	value bv.BV
	bytes []byte
	fill  byte
	base  uint64 // the address of the object, 0 if it does not matter
}

// genome is an input, by place; order are the places in the order of their questions.
type genome struct {
	genes map[place][]gene
	order []place
	steps int64 // of its run
}

// evolution is the state of the search.
type evolution struct {
	s        *search
	rng      *rand.Rand
	alphabet []byte
	words    []string
	good     map[place][]bv.BV // values of runs that broke no assumption
	within   map[visit]span
	seen     map[uint32]uint32 // by edge, the numbers of entries that were seen, as bits
	kept     []*genome
}

// evolve searches until a violation is found, or there is no hope.
func (s *search) evolve() *outcome {
	e := &evolution{s: s, rng: rand.New(rand.NewPCG(1, 11)), good: map[place][]bv.BV{}, within: map[visit]span{}, seen: map[uint32]uint32{}}
	e.alphabet, e.words = vocabulary(s.module)
	budget := s.stats.work() + evolutionWork
	fruitful := s.stats.work() // when a new way was found
	for stale := 0; (stale < staleRuns || s.stats.work() < fruitful+staleWork) && s.stats.work() < budget; stale++ {
		pause.Wait(s.ctx)
		if s.ctx.Err() != nil {
			return nil
		}
		var parent *genome
		if len(e.kept) > 0 && e.rng.IntN(20) > 0 {
			parent = e.parent()
		}
		b := e.breed(parent)
		for try := 0; ; try++ {
			before := s.stats.Steps
			r, fresh := e.live(b)
			if r.violation != nil && len(r.passes) == 0 {
				return &r
			}
			if r.violation != nil && s.doubtful == nil {
				s.doubtful = r.verdict()
			}
			if !b.asked() { // there is only one run
				return nil
			}
			e.learn(b, r.end == interp.AssumeFailed)
			if r.end == interp.AssumeFailed {
				if try == retries {
					break
				}
				b = b.again()
				continue
			}
			if fresh && len(e.kept) < maxKept {
				b.child.steps = s.stats.Steps - before
				e.kept = append(e.kept, b.child)
				stale, fruitful = 0, s.stats.work()
			}
			break
		}
	}
	return nil
}

// parent is one of those that were kept, rather one whose run is short, and often one of the last.
func (e *evolution) parent() *genome {
	recent := len(e.kept) - 12
	if recent > 0 && e.rng.IntN(2) == 0 {
		return e.kept[recent+e.rng.IntN(12)]
	}
	a, b := e.kept[e.rng.IntN(len(e.kept))], e.kept[e.rng.IntN(len(e.kept))]
	if b.steps < a.steps {
		return b
	}
	return a
}

// learn notes which values broke no assumption, and the value that perhaps broke one.
func (e *evolution) learn(b *breeder, failed bool) {
	for p, genes := range b.child.genes {
		for n, g := range genes {
			if g.value.Width() == 0 {
				continue
			}
			last := n == len(genes)-1 && p == b.child.order[len(b.child.order)-1]
			w := visit{p, min(n, 3)}
			r := e.within[w]
			switch v := g.value.Uint64(); {
			case g.value.Width() > 64 || last && failed && v <= r.most:
			case last && failed:
				if r.tooMuch == 0 || v < r.tooMuch {
					r.tooMuch = v
				}
			case v > r.most:
				if r.most = v; r.tooMuch <= v {
					r.tooMuch = 0
				}
			}
			e.within[w] = r
			if !failed && len(e.good[p]) < 16 && (g.value.Width() > 64 || g.value.Uint64() < largeValue || len(e.good[p]) < 2) && !slices.ContainsFunc(e.good[p], g.value.Equal) {
				e.good[p] = append(e.good[p], g.value)
			}
		}
	}
}

// live makes the run of a child, and says whether it took a new way.
func (e *evolution) live(b *breeder) (r outcome, fresh bool) {
	counts := map[uint32]uint32{}
	bases := map[*ir.Func]uint32{}
	var last uint32
	watch := func(ev interp.Event) {
		if ev.Kind != interp.BlockEntered {
			return
		}
		base, ok := bases[ev.Func]
		if !ok {
			base = uint32(slices.Index(e.s.module.Funcs, ev.Func)) << 12
			bases[ev.Func] = base
		}
		now := base + uint32(ev.Block)
		counts[last*31+now]++
		last = now
	}
	r = e.s.runWith(b, interp.Options{MaxSteps: evolvedSteps, Blocks: true, Observe: watch})
	if r.end == interp.AssumeFailed {
		return r, false
	}
	for edge, n := range counts {
		if bit := uint32(1) << bits.Len32(n); e.seen[edge]&bit == 0 {
			e.seen[edge] |= bit
			fresh = true
		}
	}
	return r, fresh
}

// breeder is the oracle that makes a child of a parent.
type breeder struct {
	*oracle
	e       *evolution
	parent  *genome // nil for a child of none
	change  map[place]map[int]bool
	cut     int // questions that are answered as the parent did
	asks    int
	child   *genome
	afresh  int // the question that gets another answer, -1 for none
	changes uint64
}

// breed chooses what becomes different.
func (e *evolution) breed(parent *genome) *breeder {
	b := &breeder{oracle: newOracle(2+e.rng.Uint64(), e.s.pool, e.s.memory), e: e, parent: parent, cut: 1 << 30, afresh: -1, changes: e.rng.Uint64()}
	b.oracle.content = interp.Zero{}
	b.choose()
	return b
}

func (b *breeder) choose() {
	b.child = &genome{genes: map[place][]gene{}}
	b.change = map[place]map[int]bool{}
	b.asks, b.made = 0, 0
	if b.parent == nil || len(b.parent.order) == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(b.changes, 3))
	if rng.IntN(8) == 0 {
		b.cut = rng.IntN(len(b.parent.order))
	}
	for range 1 << rng.IntN(4) {
		p := b.parent.order[rng.IntN(len(b.parent.order))]
		if b.change[p] == nil {
			b.change[p] = map[int]bool{}
		}
		b.change[p][rng.IntN(len(b.parent.genes[p]))] = true
	}
}

// again is the same child with another answer to its last question.
func (b *breeder) again() *breeder {
	c := &breeder{oracle: b.oracle, e: b.e, parent: b.child, cut: 1 << 30, afresh: b.asks - 1,
		child: &genome{genes: map[place][]gene{}}}
	c.made = 0
	return c
}

// asked says whether the run asked anything.
func (b *breeder) asked() bool { return b.asks > 0 }

// Next implements interp.Oracle.
func (b *breeder) Next(r interp.Request) (ir.Choice, error) {
	value := r.Kind == interp.WantValue && r.Type.Kind == ir.Int
	d := r.Func.Def(r.Value)
	content := !value && r.Kind != interp.WantValue && r.Size > 0 &&
		(d.Op == ir.Havoc && !d.Approximate() || d.Op != ir.Havoc && r.Func.Name == b.e.s.module.Entry)
	if d.Op == ir.Nondet && ir.NondetKind(d.Aux) == ir.NondetExact || !value && !content {
		return b.oracle.Next(r)
	}
	if value { // who may not be answered?
		if c, err := b.oracle.Next(r); err != nil {
			return c, err
		}
	} else if b.made++; b.made > maxChoices {
		return ir.Choice{}, interp.ErrOutOfChoices
	}
	g := b.gene(r, value)
	p := place{r.Func, r.Value}
	b.child.genes[p] = append(b.child.genes[p], g)
	b.child.order = append(b.child.order, p)
	b.asks++
	b.chose = true
	c := ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: g.value}
	if !value {
		n := min(r.Size, maxContent)
		c.Bits = bv.BV{}
		c.Bytes = slices.Clone(g.bytes[:min(uint64(len(g.bytes)), n)])
		for g.fill != 0 && uint64(len(c.Bytes)) < n {
			c.Bytes = append(c.Bytes, g.fill)
		}
	}
	return c, nil
}

// gene is the answer to a question: that of the parent, changed, or new.
func (b *breeder) gene(r interp.Request, value bool) gene {
	p := place{r.Func, r.Value}
	n := len(b.child.genes[p])
	inherits := b.parent != nil && n < len(b.parent.genes[p]) && b.asks < b.cut
	if !inherits || b.asks == b.afresh && b.e.rng.IntN(2) == 0 {
		return b.fresh(r, value)
	}
	g := b.parent.genes[p][n]
	if b.change[p][n] || b.asks == b.afresh {
		return b.changed(g, r, value)
	}
	return g
}

// fresh is a new answer.
func (b *breeder) fresh(r interp.Request, value bool) gene {
	rng := b.e.rng
	if !value {
		g := gene{}
		switch rng.IntN(6) {
		case 0: // nothing
		case 1:
			g.fill = b.e.letter()
		case 2:
			for range 1 + rng.IntN(3) {
				g.bytes = append(g.bytes, b.e.word()...)
			}
		default:
			for range rng.IntN(int(min(r.Size, 24)) + 1) {
				g.bytes = append(g.bytes, b.e.letter())
			}
			if rng.IntN(3) == 0 {
				g.fill = b.e.letter()
			}
		}
		return g
	}
	w := r.Type.Bits
	if s := b.e.within[visit{place{r.Func, r.Value}, min(len(b.child.genes[place{r.Func, r.Value}]), 3)}]; s.tooMuch > s.most && s.most < largeValue && rng.IntN(4) == 0 {
		return gene{value: bv.New(w, s.most+(s.tooMuch-s.most)/2)} // (V5)
	}
	if good := b.e.good[place{r.Func, r.Value}]; len(good) > 0 && rng.IntN(2) == 0 {
		return gene{value: good[rng.IntN(len(good))]}
	}
	switch rng.IntN(8) {
	case 0, 1:
		return gene{value: bv.New(w, uint64(b.e.letter()))}
	case 2, 3:
		return gene{value: bv.New(w, rng.Uint64N(2))}
	case 4, 5:
		return gene{value: bv.New(w, rng.Uint64N(24))}
	case 6:
		return gene{value: b.pool.pick(rng, w)}
	}
	return gene{value: b.answer(r)}
}

// changed is an answer that is nearly the parent's.
func (b *breeder) changed(g gene, r interp.Request, value bool) gene {
	rng := b.e.rng
	if value {
		w := r.Type.Bits
		switch rng.IntN(4) {
		case 0:
			return gene{value: g.value.Add(bv.NewSigned(w, 1-2*rng.Int64N(2)))}
		case 1:
			return gene{value: g.value.Xor(bv.New(w, 1).Shl(bv.New(w, rng.Uint64N(uint64(w)))))}
		}
		return b.fresh(r, true)
	}
	g.bytes = slices.Clone(g.bytes)
	for range 1 + rng.IntN(3) {
		at := rng.IntN(len(g.bytes) + 1)
		switch rng.IntN(8) {
		case 0: // a letter is another one
			if at < len(g.bytes) {
				g.bytes[at] = b.e.letter()
			}
		case 1:
			g.bytes = slices.Insert(g.bytes, at, b.e.letter())
		case 2:
			g.bytes = slices.Insert(g.bytes, at, []byte(b.e.word())...)
		case 3: // some are gone
			g.bytes = slices.Delete(g.bytes, at, at+rng.IntN(len(g.bytes)-at+1))
		case 4:
			g.bytes, g.fill = g.bytes[:at], 0
		case 5: // some are there twice
			to := at + rng.IntN(len(g.bytes)-at+1)
			g.bytes = slices.Insert(g.bytes, at, slices.Clone(g.bytes[at:to])...)
		case 6:
			g.fill = b.e.letter()
		case 7:
			return b.fresh(r, false)
		}
		if len(g.bytes) > maxContent {
			g.bytes = g.bytes[:maxContent]
		}
	}
	return g
}
