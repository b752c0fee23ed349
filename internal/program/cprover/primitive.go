package cprover

import (
	"slices"
	"strings"
)

// This file translates calls of CBMC's primitives that are more than functions, and
// declares the functions.

// overflow are the builtins of clang that say whether an operation overflows.
var overflow = map[string]string{
	"__CPROVER_overflow_plus": "__builtin_add_overflow", "__CPROVER_overflow_minus": "__builtin_sub_overflow", "__CPROVER_overflow_mult": "__builtin_mul_overflow",
}

// primitive writes the call at i; it gives i if that is a call as any other.
func (t *translator) primitive(i int) int {
	name, open := t.tokens[i].text, i+1
	closing := t.tokens[open].pair
	args := t.operands(open)
	arg := func(k int) string { return t.translated(args[k][0], args[k][1]) }
	write := func(s string) int {
		t.out.WriteString(t.tokens[i].before + s + t.lines(open, closing+1))
		return closing + 1
	}
	switch {
	case overflow[name] != "" && len(args) == 2:
		// The type is that of the operation: a product of what is promoted is of the common type.
		v := t.variable("r")
		return write("({ __typeof__((" + arg(0) + ") * (" + arg(1) + ")) " + v + "; " + overflow[name] + "((" + arg(0) + "), (" + arg(1) + "), &" + v + "); })")
	case name == "__CPROVER_overflow_unary_minus" && len(args) == 1:
		v := t.variable("r")
		return write("({ __typeof__(-(" + arg(0) + ")) " + v + "; __builtin_sub_overflow(0, (" + arg(0) + "), &" + v + "); })")
	case name == "__CPROVER_overflow_shl" && len(args) == 2:
		a, n, w := t.variable("a"), t.variable("n"), t.variable("w")
		return write("({ __typeof__((" + arg(0) + ") << (" + arg(1) + ")) " + a + " = (" + arg(0) + "); __typeof__((" + arg(1) + ") + 0) " + n + " = (" + arg(1) + "); __typeof__(" + n + ") " + w +
			" = 8 * sizeof " + a + "; " + n + " < 0 || " + n + " >= " + w + " || " + a + " < 0 || (" + n + " > 0 && (unsigned long long)" + a + " >> (" + w + " - " + n + " - ((__typeof__(" + a + "))-1 < 0)) != 0); })")
	case slices.Contains([]string{"__CPROVER_r_ok", "__CPROVER_w_ok", "__CPROVER_rw_ok"}, name) && len(args) == 1:
		return write(name + "((const void *)(" + arg(0) + "), sizeof *(" + arg(0) + "))")
	case t.clause != nil && name == t.clause.old && len(args) == 1:
		v := t.variable("old")
		e := arg(0)
		t.clause.declarations += "__typeof__(" + e + ") " + v + " = (" + e + "); "
		return write(v)
	case t.clause != nil && name == "__CPROVER_is_fresh" && len(args) == 2:
		return write(t.isFresh(arg(0), arg(1)))
	case name == "__CPROVER_is_freeable" && len(args) == 1:
		return write("((" + arg(0) + ") == 0 || (__CPROVER_DYNAMIC_OBJECT(" + arg(0) + ") && __CPROVER_POINTER_OFFSET(" + arg(0) + ") == 0 && __CPROVER_r_ok(" + arg(0) + ", 0)))")
	case t.clause != nil && t.clause.enforced && t.clause.assumed && t.o.Arbitrary && memoryPrimitives[name] && len(args) > 0 && t.isPlace(args[0]):
		v := t.variable("p")
		return write("({ " + t.materialised(arg(0)) + " __typeof__(" + arg(0) + ") " + v + " = (" + arg(0) + "); " + name + "(" + strings.Join(append([]string{v}, rest(arg, len(args))...), ", ") + "); })")
	case t.o.Arbitrary && !t.guarded && askedPointers(name, len(args)) > 0:
		guard := ""
		for k := range askedPointers(name, len(args)) {
			guard += "cprover_known((const void *)(" + arg(k) + ")), "
		}
		inner := *t
		inner.guarded, inner.out = true, strings.Builder{}
		if inner.primitive(i) == i {
			inner.out.Reset()
			inner.sequence(i, closing+1)
		}
		t.fresh, t.ghosts = inner.fresh, inner.ghosts
		return write("(" + guard + strings.Join(strings.Fields(stripLines(inner.out.String())), " ") + ")")
	case name == "__CPROVER_pointer_in_range_dfcc" && len(args) == 3, name == "__CPROVER_pointer_in_range" && len(args) == 3:
		return write("(__CPROVER_same_object(" + arg(0) + ", " + arg(1) + ") && __CPROVER_same_object(" + arg(1) + ", " + arg(2) + ") && (const char *)(" + arg(0) + ") <= (const char *)(" + arg(1) +
			") && (const char *)(" + arg(1) + ") <= (const char *)(" + arg(2) + "))")
	case strings.HasPrefix(name, "__CPROVER_input"), strings.HasPrefix(name, "__CPROVER_output"):
		return write("((void)0)")
	case (name == "__CPROVER_assert" || name == "__CPROVER_precondition" || name == "__CPROVER_postcondition") && len(args) == 1:
		return write(name + "(" + arg(0) + ", " + quoted(t.source(args[0][0], args[0][1])) + ")")
	}
	return i
}

// isFresh is the translation of is_fresh(p, n).
func (t *translator) isFresh(p, n string) string {
	x := t.clause
	if x.assumed {
		made := "(" + p + ") = __CPROVER_allocate(" + n + ", 0), "
		if x.enforced {
			made += t.ghost("before", "void *") + " = (void *)(" + p + "), "
		}
		if x.conjunct {
			return "(" + made + "(_Bool)1)"
		}
		return "(__VERIFIER_nondet_cprover_choice() && (" + made + "1))"
	}
	claim := "((" + p + ") != 0 && __CPROVER_r_ok(" + p + ", " + n + ")"
	if x.enforced {
		claim += " && __CPROVER_POINTER_OFFSET(" + p + ") == 0"
	}
	for _, s := range x.seen {
		claim += " && !__CPROVER_same_object(" + s + ", " + p + ")"
	}
	var v string
	if x.enforced {
		for _, g := range t.ghosts {
			if strings.HasPrefix(g[0], Ghost+"before_") {
				claim += " && !__CPROVER_same_object(" + g[0] + ", " + p + ")"
			}
		}
		claim += " && __assay_no_global(" + p + ")"
		v = t.ghost("seen", "const void *")
	} else {
		claim += " && __assay_unnamed(" + p + ", " + quoted(x.function) + ") && (" + t.extent(p, n) + ", 1)"
		v = t.variable("seen")
		x.fresh = append(x.fresh, v)
	}
	x.seen = append(x.seen, v)
	return claim + " && (" + v + " = (" + p + "), 1))"
}

// extent does not decide the run if p is not the start of an object of n bytes, and the function whose contract calls it fresh may
// look at where objects begin and end. Only of a parameter is it known where it goes.
func (t *translator) extent(p, n string) string {
	exact := "__CPROVER_POINTER_OFFSET(" + p + ") == 0 && __CPROVER_OBJECT_SIZE(" + p + ") == (" + n + ")"
	if slices.Contains(t.clause.parameters, strings.Trim(p, "()")) {
		exact += " || __assay_within_extent(" + quoted(t.clause.function) + ")"
	}
	return exact + " || (__CPROVER_undecided(" + quoted("__CPROVER_is_fresh of a pointer that is not the start of an object of just that size, for "+t.clause.function+", which may look at where objects begin and end") + "), 1)"
}

// looksAtExtents says that clauses may do so.
func (t *translator) looksAtExtents(c *contract) bool {
	names := t.parameterNames(c.params)
	for _, k := range c.clauses {
		for j := k + 2; j < t.tokens[k+1].pair; j++ {
			name := t.tokens[j].text
			if t.tokens[j].kind == word && strings.HasPrefix(name, "__CPROVER_") && !slices.Contains(extentFree, name) {
				return true
			}
			if t.is(j, "&") && slices.Contains(names, t.tokens[j+1].text) && !t.is(j+2, "->", "[") {
				return true
			}
		}
	}
	return false
}

// extentFree are the primitives that say nothing of where objects begin and end.
var extentFree = []string{
	"__CPROVER_is_fresh", "__CPROVER_old", "__CPROVER_return_value", "__CPROVER_forall", "__CPROVER_exists", "__CPROVER_object_whole",
	"__CPROVER_object_from", "__CPROVER_object_upto", "__CPROVER_typed_target", "__CPROVER_same_object", "__CPROVER_bool", "__CPROVER_size_t",
	"__CPROVER_overflow_plus", "__CPROVER_overflow_minus", "__CPROVER_overflow_mult", "__CPROVER_overflow_unary_minus", "__CPROVER_overflow_shl",
}

// memoryPrimitives ask what a pointer, their first argument, points to.
var memoryPrimitives = map[string]bool{
	"__CPROVER_r_ok": true, "__CPROVER_w_ok": true, "__CPROVER_rw_ok": true, "__CPROVER_OBJECT_SIZE": true, "__CPROVER_POINTER_OFFSET": true,
	"__CPROVER_LIVE_OBJECT": true,
}

// stage is 1 while what a contract requires is evaluated.
const stage = Ghost + "stage"

// askedPointers is how many of the first arguments of a primitive are pointers about whose objects it asks. If nothing is
// known of one but that it is a number, the precondition would leave out the callers that have another object there: the
// run is not decided then.
func askedPointers(name string, args int) int {
	switch {
	case memoryPrimitives[name], name == "__CPROVER_DYNAMIC_OBJECT", name == "__CPROVER_is_freeable", name == "__CPROVER_POINTER_OBJECT":
		return min(1, args)
	case name == "__CPROVER_same_object":
		return min(2, args)
	case strings.HasPrefix(name, "__CPROVER_pointer_in_range"):
		return min(3, args)
	}
	return 0
}

// isPlace says that a range is something that can be assigned: names, members, elements.
func (t *translator) isPlace(r [2]int) bool {
	for j := r[0]; j < r[1]; j = t.after(j, r[1]) {
		if !(t.tokens[j].kind == word || t.is(j, ".", "->", "*", "[") && (j > r[0] || t.is(j, "*")) || t.is(j, "(") && j == r[0] && t.tokens[j].pair < r[1]-1) {
			return false
		}
	}
	return r[0] < r[1]
}

// materialised lets (by choices that are no objects, for numbers would be their addresses) a pointer that points to nothing point into a new object of any size, or stay what it is.
func (t *translator) materialised(p string) string {
	n, offset := t.variable("n"), t.variable("offset")
	object := t.ghost("before", "void *")
	return "if (__CPROVER_OBJECT_SIZE(" + p + ") == 0 && __VERIFIER_nondet_cprover_choice()) { __SIZE_TYPE__ " + n + " = __VERIFIER_nondet_cprover_size(), " + offset + " = __VERIFIER_nondet_cprover_size(); __CPROVER_assume(" + offset + " <= " + n + " && " + n + " <= (__SIZE_TYPE__)-1 / 2); " +
		object + " = __CPROVER_allocate(" + n + ", 0); " + p + " = (void *)((char *)" + object + " + " + offset + "); }"
}

// rest are the arguments behind the first.
func rest(arg func(int) string, n int) (out []string) {
	for k := 1; k < n; k++ {
		out = append(out, arg(k))
	}
	return out
}

// declarations are those of the functions and types of verifiers, by name.
var declarations = map[string]string{
	"__CPROVER_size_t":                 "typedef __SIZE_TYPE__ __CPROVER_size_t;",
	"__CPROVER_ssize_t":                "typedef __PTRDIFF_TYPE__ __CPROVER_ssize_t;",
	"__CPROVER_bool":                   "typedef _Bool __CPROVER_bool;",
	"__CPROVER_assume":                 "void __CPROVER_assume(_Bool);",
	"__CPROVER_assert":                 "void __CPROVER_assert(_Bool, const char *);",
	"__CPROVER_precondition":           "void __CPROVER_precondition(_Bool, const char *);",
	"__CPROVER_postcondition":          "void __CPROVER_postcondition(_Bool, const char *);",
	"__CPROVER_cover":                  "void __CPROVER_cover(_Bool);",
	"__CPROVER_undecided":              "void __CPROVER_undecided(const char *);",
	"__CPROVER_atomic_begin":           "void __CPROVER_atomic_begin(void);",
	"__CPROVER_atomic_end":             "void __CPROVER_atomic_end(void);",
	"__CPROVER_havoc_object":           "void __CPROVER_havoc_object(void *);",
	"__CPROVER_havoc_slice":            "void __CPROVER_havoc_slice(void *, __SIZE_TYPE__);",
	"__CPROVER_r_ok":                   "_Bool __CPROVER_r_ok(const void *, __SIZE_TYPE__);",
	"__CPROVER_w_ok":                   "_Bool __CPROVER_w_ok(const void *, __SIZE_TYPE__);",
	"__CPROVER_rw_ok":                  "_Bool __CPROVER_rw_ok(const void *, __SIZE_TYPE__);",
	"__CPROVER_same_object":            "_Bool __CPROVER_same_object(const void *, const void *);",
	"__CPROVER_OBJECT_SIZE":            "__SIZE_TYPE__ __CPROVER_OBJECT_SIZE(const void *);",
	"__CPROVER_POINTER_OFFSET":         "__SIZE_TYPE__ __CPROVER_POINTER_OFFSET(const void *);",
	"__CPROVER_POINTER_OBJECT":         "__SIZE_TYPE__ __CPROVER_POINTER_OBJECT(const void *);",
	"__CPROVER_LIVE_OBJECT":            "_Bool __CPROVER_r_ok(const void *, __SIZE_TYPE__); static inline _Bool __CPROVER_LIVE_OBJECT(const void *p) { return __CPROVER_r_ok(p, 0); }",
	"__CPROVER_DYNAMIC_OBJECT":         "_Bool __CPROVER_DYNAMIC_OBJECT(const void *);",
	"cprover_known":                    "__attribute__((weak)) _Bool " + stage + "; static inline void cprover_known(const void *p) { void __CPROVER_undecided(const char *); __SIZE_TYPE__ __CPROVER_OBJECT_SIZE(const void *); if (" + stage + " && p != (void *)0 && __CPROVER_OBJECT_SIZE(p) == 0) __CPROVER_undecided(\"a precondition that asks what a pointer points to of which nothing is known: say __CPROVER_is_fresh of it before\"); }",
	"__VERIFIER_nondet_cprover_choice": "_Bool __VERIFIER_nondet_cprover_choice(void);",
	"__VERIFIER_nondet_cprover_size":   "__SIZE_TYPE__ __VERIFIER_nondet_cprover_size(void);",
	"__VERIFIER_nondet_memory":         "void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__);",
	"__CPROVER_is_invalid_pointer":     "static inline _Bool __CPROVER_is_invalid_pointer(const void *p) { _Bool __CPROVER_r_ok(const void *, __SIZE_TYPE__); return !__CPROVER_r_ok(p, 0); }",
	"__CPROVER_isfinited":              "static inline _Bool __CPROVER_isfinited(double x) { return __builtin_isfinite(x); }",
	"__CPROVER_isfinitef":              "static inline _Bool __CPROVER_isfinitef(float x) { return __builtin_isfinite(x); }",
	"__CPROVER_isinfd":                 "static inline _Bool __CPROVER_isinfd(double x) { return __builtin_isinf(x); }",
	"__CPROVER_isinff":                 "static inline _Bool __CPROVER_isinff(float x) { return __builtin_isinf(x); }",
	"__CPROVER_isnand":                 "static inline _Bool __CPROVER_isnand(double x) { return __builtin_isnan(x); }",
	"__CPROVER_isnanf":                 "static inline _Bool __CPROVER_isnanf(float x) { return __builtin_isnan(x); }",
	"__CPROVER_isnormald":              "static inline _Bool __CPROVER_isnormald(double x) { return __builtin_isnormal(x); }",
	"__CPROVER_isnormalf":              "static inline _Bool __CPROVER_isnormalf(float x) { return __builtin_isnormal(x); }",
	"__CPROVER_signd":                  "static inline _Bool __CPROVER_signd(double x) { return __builtin_signbit(x); }",
	"__CPROVER_signf":                  "static inline _Bool __CPROVER_signf(float x) { return __builtin_signbitf(x); }",
	"__CPROVER_allocate":               "static inline void *__CPROVER_allocate(__SIZE_TYPE__ n, _Bool zero) { void *malloc(__SIZE_TYPE__), *calloc(__SIZE_TYPE__, __SIZE_TYPE__); void __CPROVER_assume(_Bool); void *p = zero ? calloc(1, n) : malloc(n); __CPROVER_assume(p != (void *)0); return p; }",
	"__CPROVER_deallocate":             "static inline void __CPROVER_deallocate(void *p) { void free(void *); free(p); }",
	"__CPROVER_array_copy":             "static inline void __CPROVER_array_copy(void *to, const void *from) { __SIZE_TYPE__ __CPROVER_OBJECT_SIZE(const void *), __CPROVER_POINTER_OFFSET(const void *); void __CPROVER_undecided(const char *); void *memmove(void *, const void *, __SIZE_TYPE__); if (__CPROVER_POINTER_OFFSET(to) != 0 || __CPROVER_POINTER_OFFSET(from) != 0 || __CPROVER_OBJECT_SIZE(to) != __CPROVER_OBJECT_SIZE(from)) __CPROVER_undecided(\"__CPROVER_array_copy of arrays that are no whole objects of one size\"); memmove(to, from, __CPROVER_OBJECT_SIZE(from)); }",
	"__CPROVER_array_replace":          "static inline void __CPROVER_array_replace(void *to, const void *from) { __SIZE_TYPE__ __CPROVER_OBJECT_SIZE(const void *), __CPROVER_POINTER_OFFSET(const void *); void __CPROVER_undecided(const char *); void *memmove(void *, const void *, __SIZE_TYPE__); if (__CPROVER_POINTER_OFFSET(to) != 0 || __CPROVER_POINTER_OFFSET(from) != 0 || __CPROVER_OBJECT_SIZE(to) != __CPROVER_OBJECT_SIZE(from)) __CPROVER_undecided(\"__CPROVER_array_replace of arrays that are no whole objects of one size\"); memmove(to, from, __CPROVER_OBJECT_SIZE(from)); }",
}

// prelude declares what the translation uses and the program does not declare itself. It is
// one line, in front of the first line marker.
func (t *translator) prelude() string {
	used := map[string]bool{}
	declared := map[string]bool{}
	depth := 0
	for i := range t.tokens {
		x := &t.tokens[i]
		switch {
		case x.text == "{" && x.kind == mark:
			depth++
		case x.text == "}" && x.kind == mark:
			depth--
		case x.kind == word && declarations[x.text] != "":
			used[x.text] = true
			p := i - 1
			isType := p >= 0 && (t.tokens[p].kind == word && !t.is(p, "return", "else", "do") || t.is(p, "*"))
			if isType && (t.is(i+1, "(", ";") && depth == 0) {
				declared[x.text] = true
			}
		}
	}
	text := t.out.String()
	for name := range declarations {
		if strings.Contains(text, name) {
			used[name] = true
		}
	}
	for _, c := range t.contracts {
		if t.enforced(c) && t.o.Arbitrary {
			used["cprover_known"] = true
		}
		if t.o.UseContracts || t.enforced(c) {
			for _, name := range []string{"__CPROVER_assume", "__CPROVER_assert", "__CPROVER_allocate", "__CPROVER_r_ok", "__CPROVER_rw_ok", "__CPROVER_POINTER_OFFSET", "__CPROVER_OBJECT_SIZE", "__CPROVER_same_object", "__CPROVER_w_ok", "__CPROVER_deallocate", "__VERIFIER_nondet_memory", "__CPROVER_havoc_object"} {
				used[name] = true
			}
		}
	}
	var names []string
	for name := range used {
		if !declared[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(declarations[name] + " ")
	}
	if b.Len() == 0 {
		return ""
	}
	return "# 1 \"<CBMC>\" 3\n" + b.String() + "\n"
}
