package trial

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file makes the input of a violation short, whoever found it, by delta debugging
// [ZellerHildebrandt02]: something is left out of the input, or made smaller, and it counts if the
// interpreter still comes to the same violation. First there shall be fewer answers and bytes, then smaller
// values, then characters that can be read.
//
//	(M1) The input is taken apart by places (V1): what is left out of one does not move others.
//	(M2) A run counts under the rules of trials (T1, T2): so it depends on nothing that refutes
//	     nothing. If the run that was given breaks them, it stays as it is.
//	(M3) The violation is the same: its kind and its place. What the run passes before is no more
//	     than before.

// Limits of Shorten. Most runs take some hundred steps; a long one gets some attempts, too.
const (
	shortenRuns     = 600
	shortenSteps    = 1 << 18 // of all runs, or enough for shortenAttempts of the first, but not more than shortenMost
	shortenAttempts = 64
	shortenMost     = 1 << 20
)

// Shorten is a violation of the same check by a shorter input, or found itself.
func Shorten(ctx context.Context, m *ir.Module, found verdict.False, o Options) verdict.False {
	if found.Endless != nil || found.OverIntegers != nil || len(found.Input.Jumps) > 0 {
		return found
	}
	p, err := interp.Compile(m)
	if err != nil {
		return found
	}
	if !slices.Contains(o.Targets, ir.ErrorLabel) {
		o.Label = ""
	}
	s := &shortener{ctx: ctx, module: m, program: p, options: o, wanted: found.Violation, passes: found.Passes, memory: aboutMemory(o.Targets),
		runs: shortenRuns, steps: shortenMost, globals: found.Input.Globals}
	first := &genome{genes: map[place][]gene{}}
	funcs := map[string]*ir.Func{}
	for _, f := range m.Funcs {
		funcs[f.Name] = f
	}
	for _, c := range found.Input.Choices {
		p := place{funcs[c.Func], c.Value}
		first.add(p, gene{value: c.Bits, bytes: c.Bytes, base: c.Base})
	}
	if !s.accepts(&change{of: first}) {
		return found
	}
	original := s.best
	took := shortenMost - s.steps
	s.steps = min(s.steps, max(shortenSteps, shortenAttempts*took))
	for improved := true; improved && !s.exhausted(); {
		improved = s.leaveOut()
		improved = s.shrinkContents() || improved
		improved = s.shrinkValues() || improved
		improved = s.readable() || improved
	}
	if s.cost == original.cost || verdict.DependsOnNaN(ctx, m, s.best.input, found.Violation) {
		return found
	}
	found.Input, found.Passes = s.best.input, s.best.passes
	return found
}

// aboutMemory says whether results of functions without body matter for these kinds.
func aboutMemory(targets []ir.CheckKind) bool {
	return slices.ContainsFunc(targets, func(k ir.CheckKind) bool {
		return k == ir.InvalidDeref || k == ir.InvalidFree || k == ir.MemTrack || k == ir.MemCleanup
	})
}

// cost is what shall become small, the first first.
type cost struct {
	answers   int // values, and bytes of contents
	magnitude int // their bits
	sum       uint64
	odd       int // characters that are not letters
}

func (c cost) less(d cost) bool {
	switch {
	case c.answers != d.answers:
		return c.answers < d.answers
	case c.magnitude != d.magnitude:
		return c.magnitude < d.magnitude
	case c.sum != d.sum:
		return c.sum < d.sum
	}
	return c.odd < d.odd
}

// shortened is a run to the violation.
type shortened struct {
	cost
	genome *genome // what the run used
	input  ir.Input
	passes []verdict.Guard
}

type shortener struct {
	ctx     context.Context
	module  *ir.Module
	program *interp.Program
	options Options
	wanted  verdict.Guard
	passes  []verdict.Guard
	memory  bool
	globals map[string]ir.GlobalChoice
	runs    int
	steps   int64
	best    *shortened
	cost    cost
}

func (g *genome) add(p place, x gene) {
	g.genes[p] = append(g.genes[p], x)
	g.order = append(g.order, p)
}

// change is an input with other answers in one place: programs have thousands of places, and an input
// that is tried differs in one.
type change struct {
	of    *genome
	place place
	genes []gene
}

// at is the answers in a place.
func (c *change) at(p place) []gene {
	if p == c.place {
		return c.genes
	}
	return c.of.genes[p]
}

// exhausted says that no more runs are allowed.
func (s *shortener) exhausted() bool { return s.runs <= 0 || s.steps <= 0 || s.ctx.Err() != nil }

// accepts runs an input, and keeps it if it comes to the violation and is the shortest.
func (s *shortener) accepts(g *change) bool {
	if s.exhausted() {
		return false
	}
	s.runs--
	h := &heir{s: s, from: g, used: &genome{genes: make(map[place][]gene, len(g.of.genes))}}
	recorder := interp.NewRecorder(h)
	var passes []verdict.Guard
	reached := false
	out, err := s.program.Run(s.ctx, interp.Options{
		Oracle: recorder, Accelerate: true, MaxSteps: s.steps, MaxMemory: maxMemory, MaxFrames: maxFrames,
		StopAt: func(ev interp.Event) bool {
			x, ok := verdict.Broken(ev, s.options.Label)
			switch {
			case !ok:
				return false
			case slices.Contains(s.options.Targets, x.Kind):
				reached = x == s.wanted
				return true
			case x.Kind == ir.Overflow && slices.Contains(s.passes, x):
				if !slices.Contains(passes, x) {
					passes = append(passes, x)
				}
				return false
			}
			return true
		},
	})
	s.steps -= out.Steps - out.Skipped
	if err != nil || !reached {
		return false
	}
	c := h.used.cost()
	if s.best != nil && !c.less(s.cost) {
		return false
	}
	s.best, s.cost = &shortened{c, h.used, recorder.Input(), passes}, c
	return true
}

// cost of a genome.
func (g *genome) cost() (c cost) {
	for p, genes := range g.genes {
		exact := p.f.Def(p.v).Op == ir.Nondet && ir.NondetKind(p.f.Def(p.v).Aux) == ir.NondetExact
		for _, x := range genes {
			switch {
			case exact:
			case x.value.Width() > 0:
				c.answers++
				n := magnitude(x.value)
				c.magnitude += bits.Len64(n)
				c.sum += min(n, 1<<32)
			default:
				text := strings.TrimRight(string(x.bytes), "\x00")
				c.answers += len(text)
				for i := range len(text) {
					if text[i] < 'a' || text[i] > 'z' {
						c.odd++
					}
					if text[i] < ' ' || text[i] > '~' {
						c.odd++
					}
				}
			}
		}
	}
	return c
}

// magnitude is the distance from 0, as a signed number where that is nearer.
func magnitude(v bv.BV) uint64 {
	if v.Width() > 64 {
		return 1 << 63
	}
	if n := v.Int64(); n < 0 && v.Width() > 1 {
		return uint64(-n)
	}
	return v.Uint64()
}

// visits are the questions of the best run, in their order.
func (s *shortener) visits() (out []visit) {
	seen := map[place]int{}
	for _, p := range s.best.genome.order {
		out = append(out, visit{p, seen[p]})
		seen[p]++
	}
	return out
}

// with is the best input with other answers in a place.
func (s *shortener) with(p place, genes []gene) *change {
	return &change{of: s.best.genome, place: p, genes: genes}
}

// replaced is the best input with another answer to one question.
func (s *shortener) replaced(v visit, x gene) *change {
	genes := slices.Clone(s.best.genome.genes[v.place])
	genes[v.n] = x
	return s.with(v.place, genes)
}

// current is the best answer to a question, false if it is not asked any more.
func (s *shortener) current(v visit) (gene, bool) {
	genes := s.best.genome.genes[v.place]
	if v.n >= len(genes) {
		return gene{}, false
	}
	return genes[v.n], true
}

// leaveOut leaves out answers: halves of those of a place, then quarters, ...
func (s *shortener) leaveOut() (improved bool) {
	done := map[place]bool{}
	for _, v := range s.visits() {
		if done[v.place] {
			continue
		}
		if s.exhausted() {
			return improved
		}
		done[v.place] = true
		for size := (len(s.best.genome.genes[v.place]) + 1) / 2; size >= 1; size /= 2 {
			for at := 0; at+size <= len(s.best.genome.genes[v.place]); {
				genes := slices.Delete(slices.Clone(s.best.genome.genes[v.place]), at, at+size)
				if s.accepts(s.with(v.place, genes)) {
					improved = true
				} else {
					at += size
				}
				if s.exhausted() {
					return improved
				}
			}
		}
	}
	return improved
}

// shrinkContents makes contents shorter.
func (s *shortener) shrinkContents() (improved bool) {
	for _, v := range s.visits() {
		x, ok := s.current(v)
		if !ok || x.value.Width() > 0 {
			continue
		}
		for size := len(x.bytes); size >= 1; size = (size + 1) / 2 {
			for at := 0; at < len(x.bytes); {
				to := min(at+size, len(x.bytes))
				y := x
				y.bytes = slices.Delete(slices.Clone(x.bytes), at, to)
				if s.accepts(s.replaced(v, y)) {
					x, improved = y, true
					if _, ok := s.current(v); !ok {
						break
					}
				} else {
					at = to
				}
			}
			if size == 1 || s.exhausted() {
				break
			}
			if _, ok := s.current(v); !ok {
				break
			}
		}
	}
	return improved
}

// shrinkValues makes values smaller.
func (s *shortener) shrinkValues() (improved bool) {
	for _, v := range s.visits() {
		x, ok := s.current(v)
		if s.exhausted() {
			return improved
		}
		if !ok || x.value.Width() == 0 || x.value.Width() > 64 || v.f.Type(v.v).Kind != ir.Int {
			continue
		}
		negative := x.value.Width() > 1 && x.value.Int64() < 0
		try := func(n uint64) bool {
			y := x
			if y.value = bv.New(x.value.Width(), n); negative {
				y.value = y.value.Neg()
			}
			if _, ok := s.current(v); !ok || !s.accepts(s.replaced(v, y)) {
				return false
			}
			improved = true
			return true
		}
		least, most := uint64(0), magnitude(x.value)
		if most == 0 || try(0) {
			continue
		}
		for least+1 < most { // least was no use, most is
			middle := least + (most-least)/2
			if least == 0 && most > 64 {
				middle = min(middle, 1<<(bits.Len64(most)/2))
			}
			if try(middle) {
				most = middle
			} else {
				least = middle
			}
		}
	}
	return improved
}

// readable makes letters of the characters that may be any.
func (s *shortener) readable() (improved bool) {
	for _, v := range s.visits() {
		x, ok := s.current(v)
		if !ok || x.value.Width() > 0 {
			continue
		}
		for i, c := range x.bytes {
			if c >= 'a' && c <= 'z' || c == 0 || i > 64 {
				continue
			}
			y := x
			y.bytes = slices.Clone(x.bytes)
			y.bytes[i] = 'a'
			if s.accepts(s.replaced(v, y)) {
				x, improved = y, true
			}
		}
	}
	return improved
}

// heir is the oracle that answers as a genome says, and with 0 what that does not say.
type heir struct {
	s    *shortener
	from *change
	used *genome
	made int
}

// Global implements interp.Oracle.
func (h *heir) Global(name string, _ uint64) ir.GlobalChoice { return h.s.globals[name] }

// Reserved implements interp.Reserver.
func (h *heir) Reserved() (out []uint64) {
	for _, g := range h.s.globals {
		if g.Base != 0 {
			out = append(out, g.Base)
		}
	}
	for p := range h.from.of.genes {
		for _, x := range h.from.at(p) {
			if x.base != 0 {
				out = append(out, x.base)
			}
		}
	}
	return out
}

// Next implements interp.Oracle.
func (h *heir) Next(r interp.Request) (ir.Choice, error) {
	if h.made++; h.made > maxChoices {
		return ir.Choice{}, interp.ErrOutOfChoices
	}
	if !ours(r, h.s.memory) {
		return ir.Choice{}, errGivenUp
	}
	p := place{r.Func, r.Value}
	n := len(h.used.genes[p])
	var x gene
	if genes := h.from.at(p); n < len(genes) {
		x = genes[n]
	}
	if r.Kind == interp.WantValue && x.value.Width() == 0 {
		x.value = bv.New(r.Type.Bits, 0)
		if d := r.Func.Def(r.Value); ir.NondetKind(d.Aux) == ir.NondetExact {
			x.value = bv.New(r.Type.Bits, 1)
		}
	}
	if uint64(len(x.bytes)) > r.Size {
		x.bytes = x.bytes[:r.Size]
	}
	h.used.add(p, x)
	return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: x.value, Bytes: x.bytes, Base: x.base}, nil
}
