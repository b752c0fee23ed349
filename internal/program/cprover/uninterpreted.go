package cprover

import (
	"cmp"
	"fmt"
	"strings"
)

// This file gives functions named __CPROVER_uninterpreted_… their meaning: any result, the
// same for the same arguments. Each becomes a function that remembers its calls; of more
// than a few the run is not decided. CBMC takes declarations that differ in qualifiers for the
// same; the first counts.

const uninterpretedPrefix = "__CPROVER_uninterpreted_"

// rememberedCalls is how many calls an uninterpreted function remembers.
const rememberedCalls = 32

// uninterpreted leaves out the declaration of such a function, whose name is the token at; the
// first one becomes the definition.
func (t *translator) uninterpreted(begin, at int) {
	open := at + 1
	last := t.tokens[open].pair + 1
	if !t.is(last, ";") {
		return
	}
	name := t.tokens[at].text
	t.dropped[begin] = last + 1
	if t.defined[name] {
		return
	}
	t.defined[name] = true
	head := t.head(&contract{begin: begin, at: at})
	var params, list []string
	for _, r := range t.operands(open) {
		if r[1] == r[0]+1 && t.is(r[0], "void") {
			break
		}
		text, name := t.source(r[0], r[1]), t.tokens[r[1]-1].text
		if !t.isNamed(r) {
			name = fmt.Sprintf("a%d", len(params))
			text += " " + name
		}
		params, list = append(params, name), append(list, text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "void __CPROVER_undecided(const char *); void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__); __attribute__((weak)) %s %s(%s) { static struct { ", head, name, cmp.Or(strings.Join(list, ", "), "void"))
	same, keep := "1", ""
	for _, p := range params {
		fmt.Fprintf(&b, "__typeof__((%s) + 0) %s; ", p, p)
		same += fmt.Sprintf(" && seen[i].%s == %s", p, p)
		keep += fmt.Sprintf("seen[n].%s = %s; ", p, p)
	}
	fmt.Fprintf(&b, "%s result; } seen[%d]; static unsigned n; for (unsigned i = 0; i < n; i++) if (%s) return seen[i].result; ", head, rememberedCalls, same)
	fmt.Fprintf(&b, "if (n == %d) __CPROVER_undecided(\"more than %d calls of %s\"); ", rememberedCalls, rememberedCalls, name)
	fmt.Fprintf(&b, "__VERIFIER_nondet_memory(&seen[n].result, sizeof seen[n].result); %sreturn seen[n++].result; } ", keep)
	t.before[begin] += b.String()
}

// isNamed says that the declaration of a parameter has a name: a word behind a star, or behind the type.
func (t *translator) isNamed(r [2]int) bool {
	if t.tokens[r[1]-1].kind != word || t.is(r[1]-1, typeWords...) {
		return false
	}
	words := 0
	for i := r[0]; i < r[1]-1; i++ {
		if t.is(i, "*") || t.tokens[i].kind == word && !t.is(i, "const", "volatile", "restrict", "struct", "union", "enum") {
			words++
		}
	}
	return words > 0
}

// typeWords are the words that are types, or belong to them.
var typeWords = []string{"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "const", "volatile", "restrict"}
