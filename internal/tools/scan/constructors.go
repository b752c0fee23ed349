package scan

import (
	"cmp"
	"slices"
	"strings"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/program/harness"
	"assay/internal/user/show"
)

// This file has the project make the structures that its functions get. Of the functions that return a structure or fill one in it chooses
// constructors, and of those that get one and are called like changes, some that change it (harness.Making). Violations are asked about once
// more with such objects: what they reach needs no invariant; what only a structure with arbitrary content reaches, and
// no object that was made, needs one, if it is about where a pointer points or how large a number is.

// Limits of what is made: constructors and changes of a structure, and the size of all that they reach, in instructions.
const (
	makersKept    = 2
	changersKept  = 2
	makersReach   = 8000
	structureKept = 2 // for one function
)

var (
	// makerWords are what constructors are called that return an object, fillerWords those that fill one in.
	makerWords  = []string{"new", "create", "make", "alloc", "init", "open", "construct", "ctor", "start", "parse", "load", "from"}
	fillerWords = []string{"init", "initialize", "initialise", "setup", "construct", "ctor", "create", "new", "start"}
	// changerWords are what functions are called that change an object, endWords those after which there is none, or that make another.
	changerWords = []string{"set", "add", "insert", "push", "append", "put", "update", "extend", "enqueue", "feed", "sink", "write", "resize", "grow", "reserve"}
	endWords     = []string{"free", "destroy", "delete", "del", "close", "fini", "finish", "deinit", "release", "unref", "decref", "dispose", "cleanup", "done", "destruct", "dtor", "clear", "detach", "remove", "dup", "copy", "clone", "duplicate"}
	// iteratorWords are what structures are called that go over others, movingWords what moves them on, askingWords what may be called before that.
	iteratorWords = []string{"iter", "iterator", "cursor"}
	movingWords   = []string{"next"}
	askingWords   = []string{"has", "next", "prev", "previous", "init", "reset", "first", "begin", "start", "new", "create", "free", "destroy", "seek"}
	// allocators are the functions of which a constructor reaches one that returns an object.
	allocators = []string{"malloc", "calloc", "realloc", "reallocarray", "aligned_alloc"}
)

// hasWord says that one of the words of a name, or its end, is in a list. A vector is no ctor.
func hasWord(name string, list []string) bool {
	return slices.ContainsFunc(harness.Words(name), func(w string) bool {
		return slices.ContainsFunc(list, func(x string) bool {
			return w == x || len(x) >= 4 && strings.HasSuffix(w, x) && !strings.HasSuffix(w, "ector")
		})
	})
}

// shared is how many words of a name another one has, too: a word that it has twice counts twice if the other has it twice.
func shared(a, b string) (n int) {
	rest := harness.Words(b)
	for _, w := range harness.Words(a) {
		if k := slices.Index(rest, w); k >= 0 {
			n++
			rest = slices.Delete(rest, k, k+1)
		}
	}
	return n
}

// sharedLetters is how many letters the words of a name have that are in another one, joined to others or not: treetable_iter is about
// tree_table_iter rather than about treetable.
func sharedLetters(name, other string) (n int) {
	rest := strings.Join(harness.Words(other), "")
	for _, w := range harness.Words(name) {
		if before, behind, ok := strings.Cut(rest, w); ok {
			n += len(w)
			rest = before + " " + behind
		}
	}
	return n
}

// variants is how many constructors of a structure there may be that return one without its being taken for a structure with variants, as
// values of a script or nodes of a document are: a function may want one of them.
const variants = 3

// wanted leaves, of the constructors of a structure with variants, those of which a function's name says that it wants them: it has a word of
// theirs that not most of them have. What fills in such a structure makes the part that all variants have.
func wanted(list []candidate, function string) []candidate {
	has := map[string]int{} // constructors that have a word
	returned := 0
	for _, c := range list {
		if !c.New() {
			continue
		}
		returned++
		words := slices.Sorted(slices.Values(harness.Words(c.t.name)))
		for _, w := range slices.Compact(words) {
			has[w]++
		}
	}
	if returned <= variants {
		return list
	}
	points := func(c candidate) (n int) {
		for _, w := range harness.Words(function) {
			if 2*has[w] <= returned && slices.Contains(harness.Words(c.t.name), w) {
				n++
			}
		}
		return n
	}
	most := 0
	for _, c := range list {
		if c.New() {
			most = max(most, points(c))
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(c candidate) bool {
		return !c.New() || most == 0 || points(c) < most
	})
}

// life knows the functions of a project by the structures that they make or change.
type life struct {
	makers, changers map[string][]candidate
	// movers move iterators on.
	movers map[string][]candidate
	// takers are all functions that get one, by the structure.
	takers map[string][]*target
}

type candidate struct {
	t *target
	harness.Step
	size int // of what it reaches
}

// candidateOf is a function with what it does to an object.
func candidateOf(t *target, into int, handed bool, r *frontend.Reached) candidate {
	return candidate{t, harness.Step{Function: t.name, Into: into, Handed: handed}, r.Instructions}
}

// lifeOf looks at all functions; reached is what each reaches.
func lifeOf(targets []*target, reached []frontend.Reached) *life {
	l := &life{map[string][]candidate{}, map[string][]candidate{}, map[string][]candidate{}, map[string][]*target{}}
	for n, t := range targets {
		s := t.def.Structures
		for _, x := range s[min(1, len(s)):] {
			if x.Type != "" {
				l.takers[x.Type] = append(l.takers[x.Type], t)
			}
		}
		if len(s) == 0 || t.def.Variadic || t.name == "main" || reached[n].Instructions > makersReach || hasWord(t.name, endWords) {
			continue
		}
		takes := func(name string) bool {
			return slices.ContainsFunc(s[1:], func(x harness.Structure) bool { return x.Type == name })
		}
		allocates := slices.ContainsFunc(allocators, func(a string) bool { return slices.Contains(reached[n].Digests, a) })
		if made := s[0].Type; made != "" && !takes(made) && allocates {
			l.makers[made] = append(l.makers[made], candidateOf(t, harness.Returned, false, &reached[n]))
		}
		filled := filledIn(t.name, s[1:])
		for k, x := range s[1:] {
			switch {
			case x.Handed != "" && !takes(x.Handed) && allocates && hasWord(t.name, makerWords) && !hasWord(t.name, changerWords):
				l.makers[x.Handed] = append(l.makers[x.Handed], candidateOf(t, k, true, &reached[n]))
			case k == filled && hasWord(t.name, fillerWords) && !hasWord(t.name, changerWords):
				l.makers[x.Type] = append(l.makers[x.Type], candidateOf(t, k, false, &reached[n]))
			case k == 0 && x.Type != "" && !x.Constant && hasWord(x.Type, iteratorWords) && hasWord(t.name, movingWords) && !hasWord(t.name, []string{"has"}):
				l.movers[x.Type] = append(l.movers[x.Type], candidateOf(t, k, false, &reached[n]))
			case k == 0 && x.Type != "" && !x.Constant && hasWord(t.name, changerWords) && !takesTwo(s[1:], x.Type):
				l.changers[x.Type] = append(l.changers[x.Type], candidateOf(t, k, false, &reached[n]))
			}
		}
	}
	return l
}

// takesTwo says that a function gets two objects of a structure: the second one would be one with arbitrary content.
func takesTwo(parameters []harness.Structure, name string) bool {
	n := 0
	for _, x := range parameters {
		if x.Type == name {
			n++
		}
	}
	return n > 1
}

// offered leaves, of the functions that change a structure, those that others may call: what only helps them need not leave it as the others find
// it. Where nothing of the project that gets the structure may be called by others, all are left.
func (l *life) offered(structure string, static func(*target) bool) []candidate {
	if !slices.ContainsFunc(l.takers[structure], func(t *target) bool { return !static(t) }) {
		return l.changers[structure]
	}
	return slices.DeleteFunc(slices.Clone(l.changers[structure]), func(c candidate) bool { return static(c.t) })
}

// filledIn is the parameter that a function of this name fills in, if it does that: of structures that it may change the one whose name has most
// of the words of the function's, by their letters, of several such ones the first; -1 if there is none. An iterator is filled in, and what it goes over is not.
func filledIn(function string, parameters []harness.Structure) int {
	best, most := -1, -1
	for k, x := range parameters {
		if n := sharedLetters(function, x.Type); x.Type != "" && !x.Constant && n > most {
			best, most = k, n
		}
	}
	return best
}

// choose takes the best candidates for a function: named as it is, of use to anybody, simple.
func choose(list []candidate, named *target, static func(*target) bool, words []string, most int) (out []candidate) {
	points := func(c candidate) int {
		n := 2 * shared(c.t.name, named.name)
		if hasWord(c.t.name, words) {
			n += 4
		}
		return n - len(c.t.def.Structures) - c.size/500
	}
	for _, c := range list {
		if c.t != named && (!static(c.t) || c.t.unit == named.unit) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(points(b), points(a)), cmp.Compare(a.t.name, b.t.name))
	})
	return out[:min(len(out), most)]
}

// makings are how the structures that a function gets are made, and the functions that make them.
func (l *life) makings(t *target, static func(*target) bool) (list []harness.Making, by []*target) {
	if len(t.def.Structures) == 0 {
		return nil, nil
	}
	steps := func(chosen []candidate) (steps []harness.Step) {
		for _, c := range chosen {
			steps = append(steps, c.Step)
			by = append(by, c.t)
		}
		return steps
	}
	add := func(structures []harness.Structure, inner bool, most int) {
		for _, s := range structures {
			if s.Type == "" || len(list) >= most || slices.ContainsFunc(list, func(m harness.Making) bool { return m.Type == s.Type }) {
				continue
			}
			makers := choose(wanted(l.makers[s.Type], t.name), t, static, makerWords, makersKept)
			if len(makers) == 0 || slices.ContainsFunc(l.makers[s.Type], func(c candidate) bool { return c.t == t }) && !makers[0].New() {
				continue // a constructor is not called with what another one has made
			}
			m := harness.Making{Type: s.Type, Makers: steps(makers), Inner: inner}
			if movers := choose(l.movers[s.Type], t, static, movingWords, 1); len(movers) > 0 && !inner && !hasWord(t.name, askingWords) {
				m.Changers = steps(movers)
				m.Changers[0].Always = true
			}
			m.Changers = append(m.Changers, steps(choose(l.offered(s.Type, static), t, static, changerWords, changersKept))...)
			list = append(list, m)
		}
	}
	add(t.def.Structures[1:], false, structureKept)
	// What fills in a structure may want others, as an iterator wants a list.
	own := len(list)
	for _, m := range by {
		if hasWord(m.name, fillerWords) {
			add(m.def.Structures[1:], true, own+structureKept)
		}
	}
	return list, by
}

// makersOf names the constructors.
func makersOf(list []harness.Making) string {
	var names []string
	for _, m := range list {
		for _, s := range m.Makers {
			if m.Inner {
				continue
			}
			names = append(names, s.Function)
		}
	}
	return strings.Join(names, " or ")
}

// filled says that a constructor fills in what is there, so that the object is not its own memory.
func filled(list []harness.Making) bool {
	return slices.ContainsFunc(list, func(m harness.Making) bool {
		return slices.ContainsFunc(m.Makers, func(s harness.Step) bool { return !s.New() })
	})
}

// construct asks about the violations of a property once more with objects that the project makes.
func (x *examination) construct(p assay.Property) {
	x.unreached = ""
	if len(x.made) == 0 || p == assay.ValidMemTrack {
		return
	}
	all := x.makes(p, true)
	x.unreached = "no object that " + makersOf(x.made) + " makes was seen to lead there"
	if all {
		x.unreached = "no object that " + makersOf(x.made) + " makes leads there"
	}
	for k := range x.out.Findings {
		f := &x.out.Findings[k]
		if f.Property == p && f.Confidence == "" && !expected(f, f.start) && !x.lowered(f, f.start) {
			x.invariant(f)
		}
	}
}

// constructOpen asks about properties that a structure with arbitrary content was not seen to violate in time: objects that the project makes are
// few, and may lead to a violation soon.
func (x *examination) constructOpen(open []assay.Property) {
	for _, p := range []assay.Property{assay.ValidDeref, assay.ValidFree} {
		if len(x.made) > 0 && slices.Contains(open, p) {
			x.makes(p, false)
		}
	}
}

// makes finds violations of a property with objects that the project makes, and says whether it is proved that there are no more; first functions
// that change the object get the keys that the function gets, then any, if that is asked.
func (x *examination) makes(p assay.Property, any bool) (all bool) {
	found := false
	v := assay.Harness{Infer: true, Generous: true, Same: true, Ordinary: []string{harness.AllIntegers}, Made: x.made}
	for n := huntLimit + 1; n > 0 && len(v.Spared) < spareLimit; {
		r, err := x.checkLinked(x.madeLink, v, p)
		if err != nil {
			return false
		}
		if r.Answer != assay.False {
			if !v.Same || !startOf(r).sameKeys() { // it was about any
				return r.Answer == assay.True
			}
			if !any || found && timedOut(r) { // any keys would take longer
				return false
			}
			v.Same = false
			continue
		}
		if r.Violation.Pos.IsZero() || slices.Contains(v.Spared, site(r.Violation.Pos)) {
			return false
		}
		v.Spared = append(slices.Clone(v.Spared), site(r.Violation.Pos))
		f := x.finding(r)
		if old := x.sameCause(p, r.Violation); old == nil || old.Place.Pos == f.Place.Pos {
			n--
		}
		if !f.inside {
			continue // it happens before the function is called, though a constructor may call it as well
		}
		found = true
		f.Confidence, f.Because = High, "an object that "+makersOf(x.made)+" makes leads there"
		f.Made, f.filled = true, filled(x.made)
		x.lowered(&f, startOf(r))
		if k := slices.IndexFunc(x.out.Findings, func(g Finding) bool { return g.Property == p && g.Place.Pos == f.Place.Pos }); k < 0 {
			x.out.Findings = append(x.out.Findings, f)
		} else {
			x.out.Findings[k] = f
		}
	}
	return false
}

// sameKeys says that functions that change an object get keys that the function gets.
func (s start) sameKeys() bool {
	return slices.ContainsFunc(s, func(f harness.Fact) bool {
		return f.Pointer != nil && f.Pointer.Made != nil && f.Pointer.Made.SameKeys()
	})
}

// invariant lowers a finding that construct did not come to, if what is always so in a structure may exclude it.
func (x *examination) invariant(f *Finding) {
	if x.unreached != "" && !f.Made && x.invariable(f) {
		f.lower(LabelInvariant, x.unreached, "what holds of the structures that "+makersOf(x.made)+" makes")
	}
}

// invariable says that a violation may be excluded by what is always so in a structure that the project makes: it is about where a pointer
// points, but not in what another argument points to, or how large a number is; and not about memory that the program has
// allocated and freed.
func (x *examination) invariable(f *Finding) bool {
	switch p := f.Place.Pointee; f.Property {
	case assay.ValidDeref, assay.ArrayBounds:
		part := harness.Fact{Name: p.Name}
		if p.Kind == show.PointeeArgument {
			return part.Part() || !f.Explicit && f.start.structure(p.Name)
		}
		return !p.Gone
	case assay.NoOverflow, assay.Shift, assay.UnreachCall, assay.DivByZero:
		return true
	}
	return false
}
