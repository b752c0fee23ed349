package proofs

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// This file expands references to variables and the functions of make that proof folders use for paths. No
// command is run: of $(shell …) it knows dirname, echo $((…)) and expr with sums, products and quotients, and which, which
// finds nothing.

// Limits of expansions, against variables that refer to themselves, or grow.
const (
	maxDepth     = 100
	maxExpansion = 1 << 20 // bytes
	maxWork      = 1 << 17 // references
)

// value is the value of a variable; "" if there is none.
func (m *makefile) value(name string) (string, error) {
	v := m.variables[name]
	if v == nil {
		return "", nil
	}
	var texts []string
	for _, p := range v.parts {
		text := p.text
		if !v.simple {
			var err error
			if text, err = m.expand(text, p.at); err != nil {
				return "", err
			}
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " "), nil
}

// expand replaces the references in a text.
func (m *makefile) expand(text string, at place) (string, error) {
	if m.depth++; m.depth > maxDepth {
		m.depth--
		return "", at.fail("a variable refers to itself")
	}
	defer func() { m.depth-- }()
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' {
			b.WriteByte(text[i])
			continue
		}
		if m.work++; m.work > maxWork {
			return "", at.fail("too many references to variables")
		}
		if i++; i == len(text) {
			return "", at.fail("a $ ends the line")
		}
		switch c := text[i]; c {
		case '$':
			b.WriteByte('$')
			continue
		case '(', '{':
			end := closing(text[i:])
			if end < 0 {
				return "", at.fail("a reference to a variable has no end")
			}
			x, err := m.reference(text[i+1:i+end], at)
			if err != nil {
				return "", err
			}
			b.WriteString(x)
			i += end
		default:
			x, err := m.value(string(c))
			if err != nil {
				return "", err
			}
			b.WriteString(x)
		}
		if b.Len() > maxExpansion {
			return "", at.fail("a variable has more than %d bytes", maxExpansion)
		}
	}
	return b.String(), nil
}

// closing is where the parenthesis or brace ends with which a text begins.
func closing(text string) int {
	opens, ends, depth := text[0], byte(')'), 0
	if opens == '{' {
		ends = '}'
	}
	for i := range len(text) {
		switch text[i] {
		case opens:
			depth++
		case ends:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// arguments splits at commas outside of references.
func arguments(text string) (list []string) {
	depth, begin := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, text[begin:i])
				begin = i + 1
			}
		}
	}
	return append(list, text[begin:])
}

// functions are those of one argument whose words are treated one by one, or all together.
var functions = map[string]func(m *makefile, words []string) []string{
	"strip":   func(_ *makefile, words []string) []string { return words },
	"abspath": (*makefile).absolute,
	// The files need not be there, so links in their names are not followed.
	"realpath": (*makefile).absolute,
	"dir": each(func(w string) string {
		if !strings.Contains(w, "/") {
			return "./"
		}
		return w[:strings.LastIndexByte(w, '/')+1]
	}),
	"notdir":    each(func(w string) string { return w[strings.LastIndexByte(w, '/')+1:] }),
	"basename":  each(func(w string) string { return strings.TrimSuffix(w, filepath.Ext(w)) }),
	"suffix":    each(filepath.Ext),
	"firstword": func(_ *makefile, words []string) []string { return words[:min(1, len(words))] },
	"lastword":  func(_ *makefile, words []string) []string { return words[max(0, len(words)-1):] },
	"sort": func(_ *makefile, words []string) []string {
		slices.Sort(words)
		return slices.Compact(words)
	},
}

func each(f func(string) string) func(*makefile, []string) []string {
	return func(_ *makefile, words []string) []string {
		for i, w := range words {
			words[i] = f(w)
		}
		return words
	}
}

func (m *makefile) absolute(words []string) []string {
	for i, w := range words {
		if !filepath.IsAbs(w) {
			w = filepath.Join(m.dir, w)
		}
		words[i] = filepath.Clean(w)
	}
	return words
}

// reference is the value of what stands between $( and ).
func (m *makefile) reference(text string, at place) (string, error) {
	word, rest := firstWord(text)
	if rest == "" {
		name, err := m.expand(text, at)
		if err != nil {
			return "", err
		}
		if pattern, replacement, ok := strings.Cut(name, "="); ok && strings.Contains(pattern, ":") {
			variable, from, _ := strings.Cut(pattern, ":")
			value, err := m.value(variable)
			if err != nil {
				return "", err
			}
			if !strings.Contains(from, "%") {
				from, replacement = "%"+from, "%"+replacement
			}
			return substituted(from, replacement, value), nil
		}
		return m.value(name)
	}
	args := arguments(rest)
	expanded := func(i int) (string, error) {
		if i >= len(args) {
			return "", at.fail("the function %s has too few arguments", word)
		}
		return m.expand(args[i], at)
	}
	switch word {
	case "foreach":
		return m.foreach(args, at)
	case "if":
		return m.choice(args, at)
	case "call":
		return m.call(args, at)
	case "findstring":
		if len(args) != 2 {
			return "", at.fail("findstring has %d arguments", len(args))
		}
		what, err := expanded(0)
		if err != nil {
			return "", err
		}
		if in, err := expanded(1); err != nil || !strings.Contains(in, what) {
			return "", err
		}
		return what, nil
	case "warning", "info":
		_, err := m.expand(rest, at)
		return "", err
	case "error":
		text, err := m.expand(rest, at)
		if err != nil {
			return "", err
		}
		return "", at.fail("the makefile stops: %s", text)
	case "shell":
		command, err := m.expand(rest, at)
		if err != nil {
			return "", err
		}
		switch fields := strings.Fields(command); {
		case len(fields) == 2 && fields[0] == "dirname":
			return filepath.Dir(strings.TrimRight(fields[1], "/")), nil
		case len(fields) == 2 && fields[0] == "which", len(fields) == 3 && fields[0] == "command" && fields[1] == "-v":
			return "", nil // a solver or a tool of the proof's own: none is needed
		case len(fields) > 1 && fields[0] == "expr":
			if n, ok := expr(fields[1:]); ok {
				return n, nil
			}
		}
		if x, ok := strings.CutPrefix(command, "echo $(("); ok {
			if x, ok = strings.CutSuffix(strings.TrimSpace(x), "))"); ok {
				if n, ok := calculate(x); ok {
					return n, nil
				}
			}
		}
		return "", at.fail("the command %q of $(shell …) is not run", command)
	case "filter", "filter-out", "patsubst", "subst", "addprefix", "addsuffix":
		var all []string
		for i := range args {
			x, err := expanded(i)
			if err != nil {
				return "", err
			}
			all = append(all, x)
		}
		if want := 2; len(all) != want && word != "patsubst" && word != "subst" || (word == "patsubst" || word == "subst") && len(all) != 3 {
			return "", at.fail("the function %s has %d arguments", word, len(all))
		}
		return textFunction(word, all), nil
	}
	f := functions[word]
	if f == nil {
		return "", at.fail("the function %s of make is not understood", word)
	}
	x, err := m.expand(rest, at)
	if err != nil {
		return "", err
	}
	return strings.Join(f(m, strings.Fields(x)), " "), nil
}

// foreach is a text for each word, with a variable that is the word.
func (m *makefile) foreach(args []string, at place) (string, error) {
	if len(args) != 3 {
		return "", at.fail("foreach has %d arguments", len(args))
	}
	name, err := m.expand(args[0], at)
	if err != nil {
		return "", err
	}
	list, err := m.expand(args[1], at)
	if err != nil {
		return "", err
	}
	name = strings.TrimSpace(name)
	before := m.variables[name]
	defer func() { m.variables[name] = before }()
	var out []string
	for _, w := range strings.Fields(list) {
		m.variables[name] = &variable{[]part{{w, at}}, true}
		x, err := m.expand(args[2], at)
		if err != nil {
			return "", err
		}
		out = append(out, x)
	}
	return strings.Join(out, " "), nil
}

// call is $(call name,…): the value of a variable with 1, 2, … as the arguments.
func (m *makefile) call(args []string, at place) (string, error) {
	var all []string
	for _, a := range args {
		x, err := m.expand(a, at)
		if err != nil {
			return "", err
		}
		all = append(all, x)
	}
	name := strings.TrimSpace(all[0])
	if functions[name] != nil || m.variables[name] == nil {
		return "", at.fail("the call of %s is not understood", name)
	}
	// As many as the call around this one has are hidden: they are empty.
	for k := 1; k < len(all) || m.variables[strconv.Itoa(k)] != nil; k++ {
		number := strconv.Itoa(k)
		before, was := m.variables[number]
		defer func() {
			if delete(m.variables, number); was {
				m.variables[number] = before
			}
		}()
		text := ""
		if k < len(all) {
			text = all[k]
		}
		m.variables[number] = &variable{[]part{{text, at}}, true}
	}
	return m.value(name)
}

// choice is $(if …).
func (m *makefile) choice(args []string, at place) (string, error) {
	cond, err := m.expand(args[0], at)
	if err != nil {
		return "", err
	}
	i := 2
	if strings.TrimSpace(cond) != "" {
		i = 1
	}
	if i >= len(args) {
		return "", nil
	}
	return m.expand(args[i], at)
}

// textFunction is a function on words.
func textFunction(name string, args []string) string {
	switch name {
	case "patsubst":
		return substituted(strings.TrimSpace(args[0]), strings.TrimSpace(args[1]), args[2])
	case "subst":
		return strings.ReplaceAll(args[2], args[0], args[1])
	}
	patterns, words := strings.Fields(args[0]), strings.Fields(args[1])
	var out []string
	for _, w := range words {
		_, matches := matchAny(patterns, w)
		switch name {
		case "addprefix":
			w, matches = args[0]+w, true
		case "addsuffix":
			w, matches = w+args[0], true
		case "filter-out":
			matches = !matches
		}
		if matches {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// substituted replaces the words that match a pattern.
func substituted(pattern, replacement, text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if stem, ok := matchAny([]string{pattern}, w); ok {
			words[i] = strings.Replace(replacement, "%", stem, 1)
		}
	}
	return strings.Join(words, " ")
}

// matchAny says whether a word matches a pattern, and what % stands for.
func matchAny(patterns []string, w string) (stem string, ok bool) {
	for _, p := range patterns {
		before, after, hole := strings.Cut(p, "%")
		switch {
		case !hole && p == w:
			return "", true
		case hole && len(w) >= len(before)+len(after) && strings.HasPrefix(w, before) && strings.HasSuffix(w, after):
			return w[len(before) : len(w)-len(after)], true
		}
	}
	return "", false
}

// calculate is the value of an expression of the shell with numbers, +, -, *, /, parentheses, and expressions within.
func calculate(text string) (string, bool) {
	c := &calculation{strings.NewReplacer(" ", "", "\t", "", "$((", "((").Replace(text)}
	n, ok := c.sum(0)
	return strconv.FormatInt(n, 10), ok && c.rest == ""
}

// expr is what the command of that name prints for numbers, +, -, \*, / and \( \).
func expr(words []string) (string, bool) {
	var b strings.Builder
	for i, w := range words {
		_, err := strconv.Atoi(w)
		if i > 0 && err == nil {
			if _, err := strconv.Atoi(words[i-1]); err == nil {
				return "", false
			}
		}
		switch w {
		case `\*`, `\(`, `\)`:
			w = w[1:]
		case "*", "(", ")":
			return "", false // the shell takes it for something else
		}
		b.WriteString(w)
	}
	return calculate(b.String())
}

type calculation struct{ rest string }

func (c *calculation) sum(depth int) (n int64, ok bool) {
	n, ok = c.product(depth)
	for ok && c.rest != "" && (c.rest[0] == '+' || c.rest[0] == '-') {
		sign := int64(1)
		if c.rest[0] == '-' {
			sign = -1
		}
		c.rest = c.rest[1:]
		var x int64
		x, ok = c.product(depth)
		n += sign * x
	}
	return n, ok
}

func (c *calculation) product(depth int) (n int64, ok bool) {
	n, ok = c.number(depth)
	for ok && c.rest != "" && (c.rest[0] == '*' || c.rest[0] == '/') {
		op := c.rest[0]
		c.rest = c.rest[1:]
		var x int64
		switch x, ok = c.number(depth); {
		case op == '*':
			n *= x
		case x == 0:
			return 0, false
		default:
			n /= x
		}
	}
	return n, ok
}

func (c *calculation) number(depth int) (n int64, ok bool) {
	if inner, ok := strings.CutPrefix(c.rest, "("); ok {
		c.rest = inner
		if depth == maxDepth {
			return 0, false
		}
		if n, ok = c.sum(depth + 1); !ok || !strings.HasPrefix(c.rest, ")") {
			return 0, false
		}
		c.rest = c.rest[1:]
		return n, true
	}
	end := 0
	for end < len(c.rest) && '0' <= c.rest[end] && c.rest[end] <= '9' {
		end++
	}
	if end > 1 && c.rest[0] == '0' {
		return 0, false // octal
	}
	n, err := strconv.ParseInt(c.rest[:end], 10, 32)
	c.rest = c.rest[end:]
	return n, err == nil
}
