package cprover

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file translates contracts of functions. The body keeps its name. For the function under
// analysis, the entry, there is a function around it,
//
//	T f__enforced(P) { assume(requires); remember what old(…) asks for, and what may be written; T r = f(…); assert(ensures); return r; }
//
// and with Options.UseContracts for each function one that the front end has called instead of it
// (in the module of the unit, where names of static functions mean something), but in f__enforced:
//
//	T f__contract(P) { assert(requires); remember; make arbitrary what assigns names; T r = anything; assume(ensures); return r; }
//
// So a recursive function, too, is proved with the contract for the calls within (partial correctness by
// induction on the number of calls).
//
// Whether the body writes and frees only what it may is checked in the intermediate representation (package
// contract), at each write. f__enforced leaves there, in variables whose names begin with Ghost, what that needs: where the
// targets are and how many bytes they have (targets are evaluated at the entry), what may be freed, and which objects were
// there before; all others are new, and may be written.
//
// is_fresh(p, n) in what is assumed makes p point to a new object of n bytes, or is false. In what is
// asserted p is not null and points to the start of an object of which n bytes can be accessed, which is none of those
// that the same contract calls fresh; for a caller p may point into the middle of an object if the function does not look
// at where objects begin and end (frontend/extent.go), else the run is not decided. So that both agree, it is in what a caller has to show no global that the function can name, and in what
// the function has to show none that was there before.
//
// With Options.Arbitrary, where a contract is proved for all callers, pointer parameters have any value: that of
// an object that is there, or of none, or (where a primitive asks for memory) of a new object of any size.

// Ghost begins the names of the variables that f__enforced makes.
const Ghost = "cprover_ghost_"

// The suffixes of the functions that a contract becomes.
const (
	EnforcedSuffix = "__enforced"
	ContractSuffix = "__contract"
)

// functionClauses are the clauses of functions.
var functionClauses = []string{
	"__CPROVER_requires", "__CPROVER_ensures", "__CPROVER_assigns", "__CPROVER_frees", "__CPROVER_requires_contract", "__CPROVER_ensures_contract",
}

// contract is that of a function.
type contract struct {
	name    string
	clauses []int // indices of their names
	// begin is the first token of the declaration with the clauses, at that of the name, params the
	// bracket of its parameters.
	begin, at, params int
	defined           bool // here
	static            bool
}

// clauseContext is what the words of contracts mean in the clause that is read.
type clauseContext struct {
	result       string   // that of the function
	old          string   // the word for earlier values
	declarations string   // of those
	assumed      bool     // the clause is assumed, else asserted
	function     string   // whose contract it is, empty for loops
	parameters   []string // of the function
	enforced     bool     // its body is proved
	seen         []string // variables for what was fresh before, in what is asserted
	fresh        []string // all those
	conjunct     bool     // what is read is all that is assumed
}

// findContracts finds functions with contracts, among declarations outside of functions.
func (t *translator) findContracts() {
	n := len(t.tokens) - 1
	t.before, t.dropped, t.defined = map[int]string{}, map[int]int{}, map[string]bool{}
	byName := map[string]*contract{}
	defined, static := map[string]bool{}, map[string]bool{}
	begin := 0
	for i := 0; i < n; i = t.after(i, n) {
		switch {
		case t.is(i, ";"):
			begin = i + 1
		case t.is(i, "{") && i > 0 && t.is(i-1, ")"): // the body of a function
			begin = t.after(i, n)
		case t.is(i, "(") && i > begin && t.tokens[i-1].kind == word && t.tokens[i].pair > 0:
			name := t.tokens[i-1].text
			if slices.Contains(functionClauses, name) || name == "__attribute__" {
				continue
			}
			if strings.HasPrefix(name, uninterpretedPrefix) {
				t.uninterpreted(begin, i-1)
				continue
			}
			clauses, behind := t.clausesAt(t.tokens[i].pair+1, functionClauses)
			defined[name] = defined[name] || t.is(behind, "{")
			for j := begin; j < i; j++ {
				static[name] = static[name] || t.is(j, "static")
			}
			if len(clauses) > 0 && byName[name] == nil {
				byName[name] = &contract{name: name, clauses: clauses, begin: begin, at: i - 1, params: i}
				t.contracts = append(t.contracts, byName[name])
			}
		}
	}
	for _, c := range t.contracts {
		if t.o.UseContracts || c.name == t.o.Entry {
			t.parameterNames(c.params)
		}
		c.defined, c.static = defined[c.name], static[c.name]
	}
}

// enforced says that the body of a function is put into its contract here.
func (t *translator) enforced(c *contract) bool { return c.name == t.o.Entry && c.defined }

// head is the type of the result of a function, without what says where it can be seen.
func (t *translator) head(c *contract) string {
	head := t.source(c.begin, c.at)
	for _, w := range []string{"inline", "__inline", "__inline__", "extern", "static", "_Noreturn"} {
		head = withoutWord(head, w)
	}
	return head
}

// signature is the head of a function with a contract under another name.
func (t *translator) signature(c *contract, suffix string) string {
	linkage := "__attribute__((weak)) "
	if c.static {
		linkage = "static __attribute__((used)) "
	}
	return linkage + t.head(c) + " " + c.name + suffix + "(" + t.source(c.params+1, t.tokens[c.params].pair) + ")"
}

// conditions writes what is assumed or asserted of the operands of a clause.
func (t *translator) conditions(b *strings.Builder, c int, assumed bool, what string) {
	t.clause.assumed = assumed
	for _, r := range t.operands(c + 1) {
		t.clause.conjunct = true
		e := t.conjunction(r[0], r[1])
		if assumed {
			for _, x := range e {
				b.WriteString(" __CPROVER_assume(" + x + ");")
			}
			continue
		}
		b.WriteString(t.place(r[0]) + " __CPROVER_assert(" + strings.Join(e, " && ") + ", " + quoted(what+" of "+t.clause.function+": "+t.source(r[0], r[1])) + ");")
	}
}

// place is the marker that gives the line of a token to what follows, on a line of its own.
func (t *translator) place(at int) string {
	line, file := 1, ""
	for i := 0; i <= at; i++ {
		for text := range strings.Lines(t.tokens[i].before) {
			if !strings.HasSuffix(text, "\n") {
				continue
			}
			line++
			if m := lineMarker.FindStringSubmatch(text); m != nil {
				line, _ = strconv.Atoi(m[1])
				file = m[2]
			}
		}
	}
	if file == "" {
		return ""
	}
	return fmt.Sprintf("\n# %d \"%s\"\n", line, file)
}

var lineMarker = regexp.MustCompile(`^\s*#\s*(?:line\s+)?(\d+)\s+"((?:[^"\\]|\\.)*)"`)

// conjunction is the translation of the conjuncts of a range, one by one.
func (t *translator) conjunction(lo, hi int) (out []string) {
	lo, hi = t.unwrap(lo, hi)
	for j := lo; j < hi; j = t.after(j, hi) {
		if t.is(j, "||", "?", "==>", "<==>", ",") {
			t.clause.conjunct = t.is(lo, "__CPROVER_is_fresh") && t.tokens[lo+1].pair == hi-1
			return []string{"(" + t.translated(lo, hi) + ")"}
		}
	}
	begin := lo
	for j := lo; j <= hi; j++ {
		if j < hi && !t.is(j, "&&") {
			if p := t.tokens[j].pair; p > j && p < hi {
				j = p
			}
			continue
		}
		if a, b := t.unwrap(begin, j); t.isConjunction(a, b) {
			out = append(out, t.conjunction(a, b)...)
		} else {
			t.clause.conjunct = t.is(a, "__CPROVER_is_fresh") && t.is(a+1, "(") && t.tokens[a+1].pair == b-1
			out = append(out, "("+t.translated(a, b)+")")
		}
		begin = j + 1
	}
	return out
}

// enforce writes f__enforced.
func (t *translator) enforce(c *contract) string {
	names := t.parameterNames(c.params)
	isVoid := strings.TrimSpace(t.head(c)) == "void"
	result := t.variable("result")
	x := &clauseContext{result: result, old: "__CPROVER_old", function: c.name, enforced: true}
	t.clause, t.ghosts = x, nil
	var start, requires, ensures, targets, behind strings.Builder
	if t.o.Arbitrary {
		for _, p := range names {
			start.WriteString(" __builtin_choose_expr(__builtin_classify_type(" + p + ") == 5, " + p + ", cprover_any) = __VERIFIER_nondet_pointer();")
		}
	} else {
		for _, p := range names { // what the front end gives to a function
			start.WriteString(" " + t.ghost("before", "void *") + " = __builtin_choose_expr(__builtin_classify_type(" + p + ") == 5, " + p + ", (void *)0);")
		}
	}
	for _, k := range c.clauses {
		switch t.tokens[k].text {
		case "__CPROVER_requires":
			t.conditions(&requires, k, true, "requires")
		case "__CPROVER_assigns":
			for _, r := range t.targets(k + 1) {
				place, size := t.target(r)
				targets.WriteString(" " + r.condition + "{ " + t.ghost("target", "void *") + " = " + place + "; " + t.ghost("size", "__SIZE_TYPE__ ") + " = " + size + "; }")
			}
		case "__CPROVER_frees":
			for _, r := range t.targets(k + 1) {
				targets.WriteString(" " + r.condition + t.ghost("frees", "void *") + " = (void *)(" + t.translated(r.lo, r.hi) + ");")
			}
		}
	}
	for _, k := range c.clauses {
		if t.tokens[k].text == "__CPROVER_ensures" {
			t.conditions(&ensures, k, false, "ensures")
		}
	}
	t.clause = nil
	active := t.ghost("active", "_Bool ")
	call := c.name + "(" + strings.Join(names, ", ") + ");"
	if !isVoid {
		call = t.head(c) + " " + result + " = " + call
		behind.WriteString(" return " + result + ";")
	}
	var b strings.Builder
	if t.o.Arbitrary {
		b.WriteString("static void *cprover_any; void *__VERIFIER_nondet_pointer(void); ")
	}
	b.WriteString("_Bool __assay_no_global(const void *); ")
	for _, g := range t.ghosts {
		b.WriteString("static " + g[1] + g[0] + "; ")
	}
	b.WriteString(t.place(c.begin) + t.signature(c, EnforcedSuffix) + " {")
	for _, g := range t.ghosts {
		b.WriteString(" " + g[0] + " = 0;")
	}
	b.WriteString(start.String())
	if t.o.Arbitrary {
		b.WriteString(" " + stage + " = 1;" + requires.String() + " " + stage + " = 0;")
	} else {
		b.WriteString(requires.String())
	}
	if t.o.Vacuous {
		b.WriteString(` __CPROVER_assert(0, "what the contract requires can be satisfied");`)
	}
	b.WriteString(" " + x.declarations + targets.String())
	if t.o.Vacuous { // the body does not matter
		b.WriteString(" __CPROVER_assume(0);")
	}
	b.WriteString(t.place(c.begin) + " " + active + " = 1; " + call + " " + active + " = 0;" + ensures.String() + behind.String() + " }\n")
	return b.String()
}

// ghost is a new variable that tells the checks of writes something.
func (t *translator) ghost(what, typ string) string {
	n := 0
	for _, g := range t.ghosts {
		if strings.HasPrefix(g[0], Ghost+what+"_") {
			n++
		}
	}
	name := fmt.Sprintf("%s%s_%d", Ghost, what, n)
	t.ghosts = append(t.ghosts, [2]string{name, typ})
	return name
}

// replacement writes f__contract.
func (t *translator) replacement(c *contract) string {
	result := t.variable("result")
	x := &clauseContext{result: result, old: "__CPROVER_old", function: c.name, parameters: t.parameterNames(c.params)}
	t.clause = x
	var requires, ensures, targets, havoc strings.Builder
	for _, k := range c.clauses {
		switch t.tokens[k].text {
		case "__CPROVER_requires":
			t.conditions(&requires, k, false, "requires")
		case "__CPROVER_assigns": // all targets are evaluated before the first is written
			for _, r := range t.targets(k + 1) {
				place, size := t.target(r)
				p, n := t.variable("target"), t.variable("size")
				targets.WriteString(" void *" + p + " = 0; __SIZE_TYPE__ " + n + " = 0; " + r.condition + "{ " + p + " = " + place + "; " + n + " = " + size + "; }")
				havoc.WriteString(" if (" + n + " && __CPROVER_w_ok(" + p + ", " + n + ")) __VERIFIER_nondet_memory(" + p + ", " + n + "); else if (" + n + ") __CPROVER_assert(__CPROVER_OBJECT_SIZE(" + p + ") == 0, " +
					quoted("assigns of "+c.name+": "+t.source(r.lo, r.hi)+" is not, as a whole, in an object that can be written") + ");")
			}
		case "__CPROVER_frees":
			for _, r := range t.targets(k + 1) {
				p := t.variable("frees")
				targets.WriteString(" void *" + p + " = 0; " + r.condition + p + " = (void *)(" + t.translated(r.lo, r.hi) + ");")
				havoc.WriteString(" if (__VERIFIER_nondet_cprover_choice()) __CPROVER_deallocate(" + p + ");")
			}
		}
	}
	x.seen = nil
	for _, k := range c.clauses {
		if t.tokens[k].text == "__CPROVER_ensures" {
			t.conditions(&ensures, k, true, "ensures")
		}
	}
	t.clause = nil
	var b strings.Builder
	b.WriteString("_Bool __assay_unnamed(const void *, const char *), __assay_within_extent(const char *); void __assay_extent(void), __CPROVER_undecided(const char *); " + t.place(c.begin) + t.signature(c, ContractSuffix) + " {")
	if t.looksAtExtents(c) {
		b.WriteString(" __assay_extent();")
	}
	for _, v := range x.fresh {
		b.WriteString(" const void *" + v + " = 0;")
	}
	b.WriteString(requires.String() + " " + x.declarations + targets.String() + havoc.String())
	if strings.TrimSpace(t.head(c)) == "void" {
		b.WriteString(ensures.String() + " }\n")
		return b.String()
	}
	b.WriteString(" " + t.head(c) + " " + result + "; __VERIFIER_nondet_memory(&" + result + ", sizeof " + result + ");" + ensures.String() + " return " + result + "; }\n")
	return b.String()
}

// withoutWord leaves out a word.
func withoutWord(s, w string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(s), func(x string) bool { return x == w }), " ")
}

// parameterNames are the names of the parameters in a bracket.
func (t *translator) parameterNames(open int) (names []string) {
	for _, r := range t.operands(open) {
		if r[1] == r[0]+1 && t.is(r[0], "void") {
			return nil
		}
		name := ""
		for j := r[0]; j < r[1]; j = t.after(j, r[1]) {
			switch {
			case t.is(j, "(") && t.is(j+1, "*"): // (*name)(…)
				for k := j + 1; k < t.tokens[j].pair; k++ {
					if t.tokens[k].kind == word {
						name = t.tokens[k].text
					}
				}
				j = r[1]
			case t.tokens[j].kind == word:
				name = t.tokens[j].text
			}
			if j >= r[1] {
				break
			}
		}
		if r[1] == r[0]+1 {
			t.fail(r[0], "a parameter of a function with a contract has no name")
		}
		names = append(names, name)
	}
	return names
}

// region is a target of an assigns or frees clause, with the condition that it is under.
type region struct {
	lo, hi    int
	condition string // if (…), or empty
}

// targets are those of the clause whose bracket is at open: (condition: a, b; other: c, d).
func (t *translator) targets(open int) (out []region) {
	hi := t.tokens[open].pair
	for lo := open + 1; lo < hi; {
		end := lo
		colon := -1
		for end < hi && !t.is(end, ";") {
			if t.is(end, ":") && colon < 0 && !t.hasQuestion(lo, end) {
				colon = end
			}
			end = t.after(end, hi)
		}
		condition := ""
		if colon >= 0 {
			condition = "if (" + t.translated(lo, colon) + ") "
			lo = colon + 1
		}
		for begin := lo; begin < end; {
			j := begin
			for j < end && !t.is(j, ",") {
				j = t.after(j, end)
			}
			if j > begin {
				out = append(out, region{begin, j, condition})
			}
			begin = j + 1
		}
		lo = end + 1
	}
	return out
}

func (t *translator) hasQuestion(lo, hi int) bool {
	for j := lo; j < hi; j = t.after(j, hi) {
		if t.is(j, "?") {
			return true
		}
	}
	return false
}

// target is where a target of an assigns clause begins, and how many bytes it has.
func (t *translator) target(r region) (place, size string) {
	lo, hi := r.lo, r.hi
	if call := lo + 1; t.is(call, "(") && t.tokens[call].pair == hi-1 {
		args := t.operands(call)
		arg := func(k int) string {
			if k >= len(args) {
				t.fail(lo, "%s needs %d arguments", t.tokens[lo].text, k+1)
			}
			return "(" + t.translated(args[k][0], args[k][1]) + ")"
		}
		switch t.tokens[lo].text {
		case "__CPROVER_object_whole":
			return "(char *)" + arg(0) + " - __CPROVER_POINTER_OFFSET(" + arg(0) + ")", "__CPROVER_OBJECT_SIZE(" + arg(0) + ")"
		case "__CPROVER_object_from":
			return "(void *)" + arg(0), "__CPROVER_OBJECT_SIZE(" + arg(0) + ") - __CPROVER_POINTER_OFFSET(" + arg(0) + ")"
		case "__CPROVER_object_upto":
			return "(void *)" + arg(0), arg(1)
		case "__CPROVER_typed_target":
			arg(0)
			lo, hi = args[0][0], args[0][1]
		}
	}
	e := t.translated(lo, hi)
	return "(void *)&(" + e + ")", "sizeof(" + e + ")"
}

// functions are those that contracts become.
func (t *translator) functions() string {
	var b strings.Builder
	for _, c := range t.contracts {
		if t.enforced(c) {
			b.WriteString(t.enforce(c))
		}
		if t.o.UseContracts {
			b.WriteString(t.replacement(c))
		}
	}
	return b.String()
}
