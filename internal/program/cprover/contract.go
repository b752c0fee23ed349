package cprover

import (
	"slices"
	"strings"
)

// This file translates contracts of functions. For the function under analysis, the entry,
// whose body becomes that of another function:
//
//	T f(P) { assume(requires); remember what old(…) asks for; T r = body(…); assert(ensures); return r; }
//
// and with Options.UseContracts for any other function, wherever it is called,
//
//	T f(P) { assert(requires); remember; make arbitrary what assigns names; T r = anything; assume(ensures); return r; }
//
// Where the entry calls itself, its body is called, or its contract with UseContracts. That a
// body writes nothing but what its assigns clause names is not shown here; who replaces a body
// has to say so. is_fresh(p, n) in what is assumed makes p point to a new object of n
// bytes; in what is asserted it is true if p points to the start of an object whose n bytes can
// be accessed.

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
	// first is where the function is declared first, defined the name in its definition, -1 if there is none.
	first, defined int
	made           bool
}

// clauseContext is what the words of contracts mean in the clause that is read.
type clauseContext struct {
	result       string // that of the function
	old          string // the word for earlier values
	declarations string // of those
	assumed      bool   // the clause is assumed, else asserted
}

// findContracts finds functions with contracts, among declarations outside of functions.
func (t *translator) findContracts() {
	n := len(t.tokens) - 1
	t.renamed, t.before, t.names = map[string]string{}, map[int]string{}, map[int]string{}
	t.dropped, t.defined = map[int]int{}, map[string]bool{}
	byName := map[string]*contract{}
	first, defined := map[string]int{}, map[string]int{}
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
			if _, ok := first[name]; !ok {
				first[name] = begin
			}
			if t.is(behind, "{") {
				defined[name] = i - 1
			}
			if len(clauses) > 0 && byName[name] == nil {
				byName[name] = &contract{name: name, clauses: clauses, begin: begin, at: i - 1, params: i, defined: -1}
				t.contracts = append(t.contracts, byName[name])
			}
		}
	}
	for _, c := range t.contracts {
		c.first = first[c.name]
		if d, ok := defined[c.name]; ok {
			c.defined = d
		}
		entry := c.name == t.o.Entry
		c.made = entry && c.defined >= 0 || !entry && t.o.UseContracts
		if !c.made {
			continue
		}
		if entry {
			t.names[c.defined] = c.name + "__body"
			t.before[c.first] += t.head(c) + " " + c.name + "__body(" + t.source(c.params+1, t.tokens[c.params].pair) + "); "
		}
		if t.renamed[c.name] = c.name + "__body"; t.o.UseContracts {
			t.renamed[c.name] = c.name + "__contract"
			t.before[c.first] += t.head(c) + " " + c.name + "__contract(" + t.source(c.params+1, t.tokens[c.params].pair) + "); "
		}
	}
}

// head is the type of the result of a function, without what says where it can be seen.
func (t *translator) head(c *contract) string {
	head := t.source(c.begin, c.at)
	for _, w := range []string{"inline", "__inline", "__inline__", "extern", "static", "_Noreturn"} {
		head = withoutWord(head, w)
	}
	return head
}

// function writes a function with the contract of another. It is called when the program has been
// written, so that all types are known.
func (t *translator) function(c *contract, enforced bool) string {
	head := t.head(c)
	params := t.source(c.params+1, t.tokens[c.params].pair)
	names := t.parameterNames(c.params)
	isVoid := strings.TrimSpace(head) == "void"
	result := t.variable("result")
	name := c.name
	if !enforced {
		name += "__contract"
	}
	x := &clauseContext{result: result, old: "__CPROVER_old", assumed: enforced}
	t.clause = x
	var requires, ensures, havoc strings.Builder
	verb := func(b *strings.Builder, assumed bool, c int, what string) {
		x.assumed = assumed
		for _, r := range t.operands(c + 1) {
			e := t.translated(r[0], r[1])
			if assumed {
				b.WriteString(" __CPROVER_assume(" + e + ");")
			} else {
				b.WriteString(" __CPROVER_assert(" + e + ", " + quoted(what+" of "+name+": "+t.source(r[0], r[1])) + ");")
			}
		}
	}
	for _, k := range c.clauses {
		switch t.tokens[k].text {
		case "__CPROVER_requires":
			verb(&requires, enforced, k, "requires")
		case "__CPROVER_ensures":
			verb(&ensures, !enforced, k, "ensures")
		case "__CPROVER_assigns":
			for _, r := range t.operands(k + 1) {
				havoc.WriteString(t.target(r))
			}
		}
	}
	old := x.declarations
	t.clause = nil
	var b strings.Builder
	b.WriteString(head + " " + name + "(" + params + ") {" + requires.String() + " " + old)
	value := ""
	switch {
	case enforced:
		call := c.name + "__body(" + strings.Join(names, ", ") + ");"
		if !isVoid {
			call = head + " " + result + " = " + call
		}
		b.WriteString(" " + call)
	default:
		b.WriteString(havoc.String())
		if !isVoid {
			value = head + " " + result + "; __VERIFIER_nondet_memory(&" + result + ", sizeof " + result + ");"
		}
		b.WriteString(" " + value)
	}
	b.WriteString(ensures.String())
	if !isVoid {
		b.WriteString(" return " + result + ";")
	}
	b.WriteString(" }\n")
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

// target makes what a part of an assigns clause names arbitrary: (condition: a, b) is under a
// condition, which holds for those that follow.
func (t *translator) target(r [2]int) string {
	lo, hi := r[0], r[1]
	if lo >= hi {
		return ""
	}
	condition := ""
	for j := lo; j < hi; j = t.after(j, hi) {
		if t.is(j, ":") && !t.is(j-1, "?") {
			condition = "if (" + t.translated(lo, j) + ") "
			lo = j + 1
			break
		}
	}
	if call := lo + 1; t.is(call, "(") && t.tokens[call].pair == hi-1 {
		args := t.operands(call)
		arg := func(k int) string { return t.translated(args[k][0], args[k][1]) }
		switch t.tokens[lo].text {
		case "__CPROVER_object_whole":
			return " " + condition + "__CPROVER_havoc_object(" + arg(0) + ");"
		case "__CPROVER_object_from":
			return " " + condition + "__VERIFIER_nondet_memory(" + arg(0) + ", __CPROVER_OBJECT_SIZE(" + arg(0) + ") - __CPROVER_POINTER_OFFSET(" + arg(0) + "));"
		case "__CPROVER_object_upto":
			return " " + condition + "__VERIFIER_nondet_memory(" + arg(0) + ", " + arg(1) + ");"
		case "__CPROVER_typed_target":
			lo, hi = args[0][0], args[0][1]
		}
	}
	e := t.translated(lo, hi)
	return " " + condition + "__VERIFIER_nondet_memory((void *)&(" + e + "), sizeof(" + e + "));"
}

// functions are those that contracts become.
func (t *translator) functions() string {
	var b strings.Builder
	for _, c := range t.contracts {
		if !c.made {
			continue
		}
		if c.name == t.o.Entry {
			b.WriteString(t.function(c, true))
			if t.o.UseContracts {
				b.WriteString(t.function(c, false))
			}
			continue
		}
		b.WriteString(t.function(c, false))
	}
	return b.String()
}
