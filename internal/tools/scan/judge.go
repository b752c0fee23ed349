package scan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/program/harness"
	"assay/internal/user/show"
)

// This file says what the violations of a function are worth, before its callers are looked at (confidence.go): what a
// run is about, as data (show.Pointee, harness.Fact), and whether arguments that are not unusual lead there as well.

// start is what a run assumes of the state in which it starts.
type start []harness.Fact

func startOf(r *assay.Result) start {
	var s start
	for _, a := range r.Assumptions {
		if a.Start != nil {
			s = append(s, *a.Start)
		}
	}
	return s
}

// sized says that a name or a use says how much there is behind a parameter or a member.
func (s start) sized(name string) bool {
	return slices.ContainsFunc(s, func(f harness.Fact) bool { return f.Name == name && f.Pointer != nil && f.Pointer.Sized })
}

// explicit says that the size of what an argument points to is an argument, too, as its use tells: a name alone may be that of something else. Of
// bytes that are taken for a structure it is not the size, but may be that of what follows.
func (s start) explicit(name string) bool {
	return slices.ContainsFunc(s, func(f harness.Fact) bool {
		p := f.Pointer
		return f.Name == name && !f.Part() && p != nil && p.Sized && p.ByUse && (p.Object == nil || p.Object.Room == 0)
	})
}

// loose names a member beside what a run goes wrong about, of which it is not known how it goes with its size, and that a function on the way
// took for a limit; empty if there is none.
func (s start) loose(f *Finding) string {
	way := map[string]bool{f.Entry: true, f.Place.Func: true}
	for _, x := range f.Trace {
		way[x.Func] = true
	}
	for _, x := range s {
		if x.Name != f.Place.Pointee.Name || x.Pointer == nil || !x.Part() {
			continue
		}
		for _, l := range x.Pointer.Loose {
			for name := range l.Functions {
				if way[name] {
					return l.Member
				}
			}
		}
	}
	return ""
}

// open says that a name is that of a pointer to a structure that ends with an array of any size.
func (s start) open(name string) bool {
	return slices.ContainsFunc(s, func(f harness.Fact) bool { return f.Name == name && f.Pointer != nil && f.Pointer.Open() })
}

// unknown says that a name is that of a pointer to a structure that the project only declares.
func (s start) unknown(name string) bool {
	return slices.ContainsFunc(s, func(f harness.Fact) bool { return f.Name == name && f.Pointer != nil && f.Pointer.Unknown() })
}

// otherMember says that a violation takes a member of a union for another one than that which was filled in: it accesses other numbers of bytes
// than the elements have that the member points to.
func (s start) otherMember(p show.Pointee) bool {
	return p.Bytes > 0 && slices.ContainsFunc(s, func(f harness.Fact) bool {
		return f.Name == p.Name && f.Pointer != nil && f.Pointer.Chosen && f.Pointer.Object != nil && f.Pointer.Object.Size != p.Bytes
	})
}

// behindPlace is a parameter that points to a place inside of a structure, so that numbers around it are no arguments of callers; empty if there is none.
func (s start) behindPlace() string {
	for _, f := range s {
		if f.Pointer != nil && f.Pointer.Before > 0 && !f.Part() {
			return f.Name
		}
	}
	return ""
}

// hasStructure says that an argument points to a structure.
func (s start) hasStructure() bool {
	return slices.ContainsFunc(s, func(f harness.Fact) bool {
		return !f.Part() && f.Pointer != nil && f.Pointer.Object != nil && harness.IsStructure(f.Pointer.Object.Type)
	})
}

// putIn is the function that makes or changes an object, and gets what is named so, a structure or something of which no use says the size: it has put it in
// there, and it may be the beginning of more. Empty if there is none.
func (s start) putIn(name string) string {
	var found string
	for _, f := range s {
		if f.Name == name {
			return ""
		}
		if f.Pointer == nil || f.Pointer.Made == nil {
			continue
		}
		for _, c := range slices.Concat(f.Pointer.Made.Makers, f.Pointer.Made.Changers) {
			for _, x := range c.Parameters {
				if x.Name == name && x.Pointer != nil && x.Pointer.Object != nil && (harness.IsStructure(x.Pointer.Object.Type) || !x.Pointer.ByUse) {
					found = c.Function
				}
			}
		}
	}
	return found
}

// several are the parameters that the program takes for different structures, of which the run has chosen one: those of the function, and of
// functions that make or change what it gets.
func (s start) several() (names []string) {
	var look func(name string, p *harness.Pointer)
	calls := func(list []harness.Call) {
		for _, c := range list {
			for _, x := range c.Parameters {
				look(x.Name, x.Pointer)
			}
		}
	}
	look = func(name string, p *harness.Pointer) {
		switch {
		case p == nil:
		case p.Made != nil:
			calls(p.Made.Makers)
			calls(p.Made.Changers)
		case p.Several && p.Object != nil:
			names = append(names, name)
		}
	}
	for _, f := range s {
		look(f.Name, f.Pointer)
	}
	return names
}

// ofSeveral is such a parameter, if a violation may come from the choice: it is in what the parameter points to, or about a pointer that leads to nothing;
// empty if there is none.
func (s start) ofSeveral(p show.Pointee) string {
	for _, name := range s.several() {
		switch {
		case p.Kind == show.PointeeArgument && (p.Name == name || strings.HasPrefix(p.Name, name+"->")),
			p.Kind == "", p.Kind == show.PointeeNull, p.Kind == show.PointeeNothing, p.Kind == show.PointeeFunction:
			return name
		}
	}
	return ""
}

// structured says that pointers in structures were filled in, or may be in objects of which nothing is known.
func (s start) structured() bool {
	return slices.ContainsFunc(s, func(f harness.Fact) bool {
		return f.Pointer != nil && f.Pointer.Object != nil && (f.Part() || f.Pointer.Object.Room > 0 || f.Pointer.Object.Type == nil)
	})
}

// structure says that a name is that of a pointer to a structure.
func (s start) structure(name string) bool {
	return slices.ContainsFunc(s, func(f harness.Fact) bool {
		return f.Name == name && f.Pointer != nil && f.Pointer.Object != nil && harness.IsStructure(f.Pointer.Object.Type)
	})
}

// arguments says that something is assumed of arguments.
func (s start) arguments() bool {
	return slices.ContainsFunc(s, func(f harness.Fact) bool { return f.Name != "" })
}

// nullable is the first pointer that may be null, empty if there is none.
func (s start) nullable() string {
	for _, f := range s {
		if f.Pointer != nil && f.Pointer.MayBeNull {
			return f.Name
		}
	}
	return ""
}

// chain is a pointer that leads to objects of its own type, which end somewhere; empty if there is none.
func (s start) chain() string {
	for _, f := range s {
		if f.Pointer != nil && f.Pointer.Chain() && f.Part() {
			return f.Name
		}
	}
	return ""
}

// points says that a name is that of a pointer.
func (s start) points(name string) bool {
	return slices.ContainsFunc(s, func(f harness.Fact) bool { return f.Name == name && f.Pointer != nil })
}

// restsOnStart says that an access is about what arguments point to, or about pointers that nobody has set since the start.
func restsOnStart(p show.Pointee) bool {
	switch p.Kind {
	case show.PointeeArgument, show.PointeeNothing:
		return true
	case show.PointeeNull:
		return p.Initial
	}
	return false
}

// easy is the harness that asks nothing unusual.
var easy = assay.Harness{Infer: true, Generous: true, Ordinary: []string{harness.AllIntegers}}

// tame is the harness for functions that only the project itself calls: the callers may establish much about numbers.
var tame = assay.Harness{Infer: true, Generous: true, Few: true, Ordinary: []string{harness.AllIntegers}, Limit: tameLimit, Positive: true}

// tameLimit is the greatest of the integers of a tame harness.
const tameLimit = 4

// lower gives a finding the least confidence.
func (f *Finding) lower(l Label, because, needs string) {
	f.Confidence, f.Label, f.Because, f.Needs = Low, l, because, append(f.Needs, needs)
}

// judge says what a violation is worth.
func (x *examination) judge(f *Finding, s start) {
	if expected(f, s) {
		f.Confidence, f.Because = Medium, f.Entry+" expects null in "+f.Place.Pointee.Name+", which it compares with null or which a setting says, and uses it where it is null"
		return
	}
	if x.lowered(f, s) {
		return
	}
	numbers := s.arguments()
	if d := x.definition(); d != nil {
		numbers = numbers || len(d.Integers) > 0
	}
	if !numbers || f.Entry == "main" {
		f.Confidence, f.Because = High, "nothing is assumed of arguments"
		return
	}
	if x.internal {
		x.judgeInternal(f, s)
		return
	}
	remains := func(v assay.Harness) (bool, *assay.Result) {
		r, err := x.check(v, f.Property)
		if err != nil {
			return false, nil
		}
		return r.Answer == assay.False && r.Violation.Pos == f.Place.Pos, r
	}
	v := easy
	v.Few = f.Property == assay.NoOverflow || f.Property == assay.Shift // what numbers are in arrays matters
	if f.Property == assay.Shift {
		v.Limit = 16
	}
	same, r := remains(v)
	// Is it behind another violation?
	for n := huntLimit; n > 0 && len(v.Spared) < spareLimit && r != nil && r.Answer == assay.False && !same && !r.Violation.Pos.IsZero(); {
		if x.sameCause(f.Property, r.Violation) == nil {
			n--
		}
		x.another(r, "arguments of ordinary size lead there")
		v.Spared = append(slices.Clone(v.Spared), site(r.Violation.Pos))
		same, r = remains(v)
	}
	open := r == nil || r.Answer == assay.Unknown
	x.out.Unsettled = x.out.Unsettled || r != nil && timedOut(r)
	switch {
	case open && restsOnStart(f.Place.Pointee):
		f.lower(LabelRoom, "it is about what the arguments point to, and whether ordinary ones lead there is not known", roomFor(f, s))
		return
	case open && (f.Property == assay.NoOverflow || f.Property == assay.Shift):
		f.lower(LabelNumbers, "whether ordinary numbers lead there is not known", "the integers in the arguments are small")
		return
	case open:
		f.Confidence, f.Because = Medium, "whether ordinary arguments lead there is not known"
		return
	case same:
		f.Confidence, f.Because = High, "arguments of ordinary size lead there"
		if g := x.finding(r); len(g.Trace) > 0 { // with numbers that people like better
			f.Trace, f.Cut, f.Place, f.Harness = g.Trace, g.Cut, g.Place, g.Harness
		}
		if !x.lowered(f, startOf(r)) && !x.bounded(f, startOf(r)) {
			x.judgeSigns(f, v)
		}
		return
	case r.Answer == assay.False:
		f.lower(LabelRoom, "ordinary arguments lead to another violation of the property: "+r.Violation.Pos.String(), "ordinary arguments")
		return
	}
	if same, r := remains(assay.Harness{Infer: true, Generous: true, Spared: v.Spared}); r != nil && !same {
		f.lower(LabelRoom, "only small objects, null pointers or empty rests of buffers lead there", roomFor(f, s))
		return
	}
	var integers []string
	if d := x.definition(); d != nil {
		integers = d.Integers
	}
	for _, name := range integers {
		if same, r := remains(assay.Harness{Infer: true, Ordinary: []string{name}, Spared: v.Spared}); r != nil && !same && r.Answer != assay.Unknown {
			f.lower(LabelNumbers, "only large numbers lead there", fmt.Sprintf("-%d <= %s <= %d, or another bound", harness.OrdinaryLimit, name, harness.OrdinaryLimit))
			return
		}
	}
	f.lower(LabelNumbers, "only unusual arguments lead there", fmt.Sprintf("the integers in the arguments are at most %d, or another bound", harness.OrdinaryLimit))
}

// bounded lowers a finding about what is behind a structure that an argument points to, if only numbers lead there that are greater than a few: its
// arrays have as many elements as the program fixes, and who calls the function knows that.
func (x *examination) bounded(f *Finding, s start) bool {
	p, d := f.Place.Pointee, x.definition()
	if x.internal || p.Kind != show.PointeeArgument || p.Where != show.WhereBehind || s.sized(p.Name) || !s.structure(p.Name) || d == nil || len(d.Integers) == 0 {
		return false
	}
	v := easy
	v.Limit = tameLimit
	for _, other := range x.out.Findings {
		if other.Property == f.Property && other.Place.Pos != f.Place.Pos {
			v.Spared = append(v.Spared, site(other.Place.Pos))
		}
	}
	if r, err := x.check(v, f.Property); err == nil && r.Answer == assay.False && r.Violation.Pos == f.Place.Pos {
		return false
	}
	f.lower(LabelNumbers, "it is behind a structure that "+p.Name+" points to, and small numbers in the arguments were not seen to lead there", "the integers in the arguments are at most the number of elements in "+p.Name)
	return true
}

// judgeSigns prefers runs with positive arguments, and says so where only numbers below 1 were seen to lead to a violation: many functions are
// not made for these, and say it nowhere.
func (x *examination) judgeSigns(f *Finding, v assay.Harness) {
	if f.Property == assay.DivByZero || !belowOne(f) {
		return
	}
	v.Positive = true
	r, err := x.check(v, f.Property)
	if err == nil && r.Answer == assay.False && r.Violation.Pos == f.Place.Pos {
		if g := x.finding(r); len(g.Trace) > 0 {
			f.Trace, f.Cut, f.Place, f.Harness = g.Trace, g.Cut, g.Place, g.Harness
		}
		return
	}
	f.Confidence, f.Because = Medium, "only numbers below 1 in the arguments were seen to lead there"
}

// belowOne says that an argument is a negative number in a run.
func belowOne(f *Finding) bool {
	return slices.ContainsFunc(f.Trace, func(s assay.Step) bool {
		return s.Kind == assay.StepAssign && s.Func == f.Entry && strings.HasPrefix(s.Value, "-")
	})
}

// judgeInternal says what a violation is worth in a function that only the project itself calls: little, if small positive
// integers were not seen to lead there.
func (x *examination) judgeInternal(f *Finding, s start) {
	r, err := x.check(tame, f.Property)
	if err == nil && r.Answer == assay.False && r.Violation.Pos != f.Place.Pos {
		x.another(r, "small positive numbers lead there")
	}
	x.out.Unsettled = x.out.Unsettled || err == nil && timedOut(r)
	if err != nil || r.Answer != assay.False || r.Violation.Pos != f.Place.Pos {
		f.lower(LabelNumbers, "only the project itself calls "+f.Entry+", and small positive numbers were not seen to lead there", "what the callers establish of numbers")
		return
	}
	f.Confidence, f.Because = High, "small positive numbers lead there"
	if g := x.finding(r); len(g.Trace) > 0 {
		f.Trace, f.Cut, f.Place, f.Harness = g.Trace, g.Cut, g.Place, g.Harness
	}
	f.Explicit = s.explicit(f.Place.Pointee.Name)
	x.lowered(f, startOf(r))
}

// huntLimit is how many more violations of a property are looked for; those with the cause of one that is known do not count, up to
// spareLimit in all.
const (
	huntLimit  = 3
	spareLimit = 12
)

// hasCause says that accesses in one function about the same object have one cause: it is an argument, or a pointer that is null from the start.
func hasCause(p show.Pointee) bool {
	return p.Kind == show.PointeeArgument || p.Kind == show.PointeeNull && p.Initial
}

// sameCause is a finding about the same argument in the same function as a violation at another place, nil if there is none.
func (x *examination) sameCause(p assay.Property, at *assay.Place) *Finding {
	for k := range x.out.Findings {
		f := &x.out.Findings[k]
		if f.Property == p && hasCause(at.Pointee) && f.Place.Func == at.Func && f.Place.Pointee.Kind == at.Pointee.Kind && f.Place.Pointee.Name == at.Pointee.Name {
			return f
		}
	}
	return nil
}

// hunt looks for further violations of a property, behind those that were found: a null pointer that nobody passes, or a structure that
// nobody makes, would hide others. Only those count that ordinary arguments lead to.
func (x *examination) hunt(p assay.Property) {
	v, because := easy, "arguments of ordinary size lead there"
	switch {
	case x.task.Program.Function == "main":
		v, because = assay.Harness{Infer: true}, "nothing is assumed of arguments"
	case x.internal:
		v, because = tame, "small positive numbers lead there"
	}
	for _, f := range x.out.Findings {
		v.Spared = append(v.Spared, site(f.Place.Pos))
	}
	for n := huntLimit; n > 0 && len(v.Spared) < spareLimit; {
		r, err := x.check(v, p)
		if err != nil || r.Answer != assay.False || r.Violation.Pos.IsZero() || slices.Contains(v.Spared, site(r.Violation.Pos)) {
			return
		}
		v.Spared = append(slices.Clone(v.Spared), site(r.Violation.Pos))
		if x.sameCause(p, r.Violation) != nil {
			continue
		}
		n--
		x.another(r, because)
	}
}

func site(p assay.Position) harness.Site {
	return harness.Site{File: p.File, Line: p.Line, Column: p.Col}
}

// another adds the violation that an easy harness leads to, at another place than the one that was asked about.
func (x *examination) another(r *assay.Result, because string) {
	f := x.finding(r)
	f.Confidence, f.Because = High, because
	f.start = startOf(r)
	f.Explicit = f.start.explicit(f.Place.Pointee.Name)
	if !x.lowered(&f, f.start) && !x.bounded(&f, f.start) {
		x.invariant(&f)
	}
	x.out.Findings = append(x.out.Findings, f)
}

// lowered is the same as the function without receiver; moreover nothing describes arguments behind an ellipsis.
func (x *examination) lowered(f *Finding, s start) bool {
	if d := x.definition(); d != nil && d.Variadic && f.Property == assay.ValidDeref {
		f.lower(LabelFormat, "the function has arguments that nothing describes", "the arguments that the format asks for")
		return true
	}
	if x.wordwise(f) {
		f.lower(LabelWords, f.Place.Func+" tells addresses of words from others, and reads whole words there: what is behind the end is in the same word", "the last word of what is read may be read to its end")
		return true
	}
	if d := x.definition(); x.internal && f.Property == assay.ValidDeref && f.Place.Pointee.Kind == show.PointeeNull && s.chain() != "" && d != nil && len(d.Integers) > 0 {
		f.lower(LabelInvariant, "only the project itself calls "+f.Entry+", with a number and a chain of objects ("+s.chain()+"), and nothing says how they go together", "as many objects behind "+s.chain()+" as the callers say")
		return true
	}
	if d := x.definition(); slices.Contains(numeric, f.Property) && s.behindPlace() != "" && !f.Made && d != nil && len(d.Integers) == 0 {
		f.lower(LabelInvariant, s.behindPlace()+" is a place in a structure, and what is around it is set up by who made that", "what the structure around "+s.behindPlace()+" holds")
		return true
	}
	if d := x.definition(); x.internal && !f.Made && slices.Contains(numeric, f.Property) && s.hasStructure() && d != nil && len(d.Integers) == 0 {
		f.lower(LabelInvariant, "only the project itself calls "+f.Entry+", and the numbers are inside of the structures in its arguments, which may have invariants", "what holds of the numbers in the structures")
		return true
	}
	return lowered(f, s)
}

// numeric are the properties that are about how large numbers are.
var numeric = []assay.Property{assay.NoOverflow, assay.Shift, assay.DivByZero}

// wordwise says that a violation is a read of a word that begins in an object and ends behind it, in a function that does so on purpose: it
// tests whether addresses are those of words, as hash functions and those of strings do, for a word is never in two pages. C has no such
// permission.
func (x *examination) wordwise(f *Finding) bool {
	p := f.Place.Pointee
	if f.Property != assay.ValidDeref || !p.Reads || p.Gone || p.Where != show.WhereInside || p.Bytes < 2 {
		return false
	}
	for _, list := range [][]frontend.Linked{x.task.Program.Link, x.madeLink} {
		for _, l := range list {
			for k := range l.Unit.Definitions {
				if d := &l.Unit.Definitions[k]; d.Name == f.Place.Func && d.Word >= p.Bytes {
					return true
				}
			}
		}
	}
	return false
}

// wordwiseFunctions are those that read whole words on purpose.
func (x *examination) wordwiseFunctions() (words []harness.Wordwise) {
	seen := map[string]bool{}
	for _, list := range [][]frontend.Linked{x.task.Program.Link, x.madeLink} {
		for _, l := range list {
			for k := range l.Unit.Definitions {
				if d := &l.Unit.Definitions[k]; d.Word > 0 && !seen[d.Name] {
					seen[d.Name] = true
					words = append(words, harness.Wordwise{File: d.File, First: d.Line, Last: d.End, Bytes: d.Word})
				}
			}
		}
	}
	return words
}

// expected says that a run goes wrong about null that was passed, and that the function expects: it compares the parameter with null, or a
// setting says so.
func expected(f *Finding, s start) bool {
	p := f.Place.Pointee
	return p.Kind == show.PointeeNull && p.Initial && p.Name != "" && slices.ContainsFunc(s, func(x harness.Fact) bool {
		return x.Name == p.Name && x.Pointer != nil && x.Pointer.MayBeNull
	})
}

// lowered says that a finding is about what a contract would say, by what it is about, and lowers it.
func lowered(f *Finding, s start) bool {
	p := f.Place.Pointee
	memory := f.Property == assay.ValidDeref || f.Property == assay.ValidFree
	part := harness.Fact{Name: p.Name}
	switch {
	case p.Kind == show.PointeeArgument && p.Where == show.WhereBefore:
		f.lower(LabelMiddle, "the access is before the start of what an argument points to", "the pointer points into the middle of an object")
	case p.Kind == show.PointeeArgument && (part.Part() && !s.sized(p.Name) || s.open(p.Name)),
		memory && (p.Kind == "" || p.Kind == show.PointeeNothing || p.Kind == show.PointeeFunction) && s.structured():
		f.lower(LabelInvariant, "it is about what is inside of the structures in the arguments, which may have invariants", roomFor(f, s))
	case p.Kind == show.PointeeArgument && p.Where != show.WhereInside && !p.Gone && s.putIn(p.Name) != "":
		f.lower(LabelInvariant, "it is behind "+p.Name+", which "+s.putIn(p.Name)+" gets, and which may be the beginning of more", "what "+p.Name+" is the beginning of")
	case p.Kind == show.PointeeArgument && s.unknown(p.Name):
		f.lower(LabelInvariant, "the project only declares the structure that "+p.Name+" points to", roomFor(f, s))
	case p.Kind == show.PointeeArgument && s.otherMember(p):
		f.lower(LabelInvariant, "it takes what "+p.Name+" points to for something else, and what a union holds depends on what is beside it", "the kind of what "+p.Name+" is a part of")
	case p.Kind == show.PointeeArgument && s.loose(f) != "":
		f.lower(LabelInvariant, "the function takes "+s.loose(f)+" for a limit, and nothing says how that goes with the size of "+p.Name, roomFor(f, s))
	case memory && s.ofSeveral(p) != "":
		f.lower(LabelInvariant, "the program takes what "+s.ofSeveral(p)+" points to for different structures, and which one it is may be told by a member", "the kind of what "+s.ofSeveral(p)+" points to")
	case memory && !f.followed && f.Entry != "main":
		f.lower(LabelRoom, "where the pointer comes from is not known", roomFor(f, s))
	case p.Kind == show.PointeeNull && p.Initial && f.filled && p.Name == "": // no parameter: what a constructor has left null
		f.Confidence, f.Because = Medium, f.Because+", with a pointer that is null from the start"
		return false
	case p.Kind == show.PointeeNull && p.Initial && f.Entry != "main":
		f.lower(LabelSetUp, "the pointer is null from the start: the arguments or the globals may have been set up before", cmp.Or(nullOf(f, s), "a pointer")+" is set up before "+f.Entry+" is called")
	case f.Property == assay.UnreachCall && f.Entry != "main" && (f.Made || s.arguments()):
		f.lower(LabelAsserted, "it is asserted of the arguments, or of what follows from them", f.Place.Text)
	default:
		return false
	}
	return true
}

// roomFor is the precondition that a violation asks for that is about what arguments point to.
func roomFor(f *Finding, s start) string {
	switch p := f.Place.Pointee; p.Kind {
	case show.PointeeArgument:
		return "more elements behind " + p.Name
	case show.PointeeNull:
		return cmp.Or(nullOf(f, s), "a pointer in the arguments") + " != 0"
	}
	return "more of what the arguments point to"
}

// nullOf names the argument that is null in a run, empty if none is known.
func nullOf(f *Finding, s start) string {
	for _, x := range f.Trace {
		if x.Func == f.Entry && (x.Value == "0x0" || x.Value == "null" || x.Value == "NULL" || x.Value == "0") && s.points(x.Var) {
			return x.Var
		}
	}
	return s.nullable()
}
