package rewrite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
	"assay/internal/models/absint"
	"assay/internal/models/integerize"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
)

// This file replaces comparisons with products by linear ones: dual rewriting [Liu, Sect. 5.2], by
// calculation in the place of learning (package equations).
//
//	(L1) In a copy of the program each comparison c becomes (place = k, c). The store is a step of the
//	     integer transition system, in which all stores are observed: behind it the values of the
//	     variables are those with which c is computed. It may be several locations, one for each chain of
//	     calls; all of them count.
//	(L2) The equations between products that package equations finds there, over all variables, are 0 in
//	     all reachable states; the certificate of that is checked before anything is said.
//	(L3) The difference of what is compared, modulo the equations, is linear in variables that are visible
//	     at the comparison: both have the same value in all states that reach it. This is an identity of
//	     polynomials, which is checked, too. So the comparison with 0 of the one is that of the other: b_pos. The
//	     contrary comparison is b_neg.
//	(L4) Or it has one variable only: the integers at which the comparison is true are intervals, which are
//	     found, and checked, as splits of a transition with that guard.
//
// We depart from the paper in that b_neg is always the negation of b_pos: both are exact. All of that is over
// mathematical integers; the new program may differ from the old one where arithmetic of either overflows.

// LinearOptions say how the program is read.
type LinearOptions struct {
	Flags []string // for clang
	ILP32 bool
}

// Linearized is a program with conditions replaced, and what became of each.
type Linearized struct {
	Text       string      `json:"-"`
	Semantics  string      `json:"semantics"` // of the claims: always integers
	Conditions []Condition `json:"conditions"`
	Seconds    float64     `json:"seconds"`
}

// Condition is a comparison with products in the program. Lines are those of the printed program.
type Condition struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Old    string `json:"condition"`
	// Positive and Negative are Boolean combinations of linear comparisons that equal it, and its
	// negation, in the states that reach it; empty if it stays.
	Positive string `json:"b_pos,omitempty"`
	Negative string `json:"b_neg,omitempty"`
	// Because are the equations that it rests on.
	Because []string `json:"because,omitempty"`
	Proof   string   `json:"proof,omitempty"`
	// Reason says why it stays, and Known are equations that hold at its place. Then Sufficient is a Boolean combination of linear
	// comparisons that implies it in the states that reach it, Excluding one that implies its negation, over mathematical integers,
	// and Between are the other states.
	Reason     string   `json:"reason,omitempty"`
	Known      []string `json:"known,omitempty"`
	Sufficient string   `json:"b_pos_proved,omitempty"`
	Excluding  string   `json:"b_neg_proved,omitempty"`
	Between    string   `json:"between,omitempty"`
	Seconds    float64  `json:"seconds"`
}

// Replaced says that the condition is replaced.
func (c *Condition) Replaced() bool { return c.Positive != "" }

// placeName is the variable that says which comparison comes next.
const placeName = "__assay_place"

// maxSteps bounds the abstract interpretation that finds what pointers point to.
const maxSteps = 200_000

// Linear replaces the comparisons with products in the conditions of a C file. The error is an *Error if the
// program is wrong. If the context ends, conditions stay for this reason.
func Linear(ctx context.Context, file string, o LinearOptions) (*Linearized, error) {
	began := time.Now()
	text, root, err := parse(ctx, file, o.Flags)
	if err != nil {
		return nil, err
	}
	if strings.Contains(text, placeName) {
		return nil, &Error{file + ": the name " + placeName + " is needed for the analysis; give the program's variable another one"}
	}
	f := find(root)
	out := &Linearized{Text: text, Semantics: "integers", Conditions: []Condition{}}
	if len(f.comparisons) > 0 {
		l := &linearization{finder: f, at: map[int][]its.Location{}}
		why, err := l.analyze(ctx, text, o)
		if err != nil {
			return nil, err
		}
		for k, c := range f.comparisons {
			out.Conditions = append(out.Conditions, l.condition(ctx, text, k, c, why))
		}
		out.Text = replace(text, f.comparisons, func(k int, old string) string {
			if c := &out.Conditions[k]; c.Replaced() {
				if strings.Contains(c.Positive, "&&") || strings.Contains(c.Positive, "||") {
					return "(" + c.Positive + ")"
				}
				return c.Positive
			}
			return old
		})
	}
	out.Seconds = time.Since(began).Seconds()
	return out, nil
}

// replace puts other texts in the place of the comparisons.
func replace(text string, list []*comparison, by func(k int, old string) string) string {
	var b strings.Builder
	at := 0
	for k, c := range list {
		b.WriteString(text[at:c.begin])
		b.WriteString(by(k, text[c.begin:c.end]))
		at = c.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// linearization is a program with its system.
type linearization struct {
	finder    *finder
	program   *integerize.Program
	at        map[int][]its.Location   // where comparisons are
	equations [][]rational.Polynomial  // by location
	found     map[*variable]linear.Var // variables of the system
	names     map[linear.Var]*variable // those of the program, by variable of the system
	facts     *equations.Certificate   // what else is known, nil before it is looked for
}

// analyze finds the system and its equations; why says what prevents it.
func (l *linearization) analyze(ctx context.Context, text string, o LinearOptions) (why string, err error) {
	marked := "int " + placeName + "; " + replace(text, l.finder.comparisons, func(k int, old string) string {
		return fmt.Sprintf("(%s = %d, %s)", placeName, k+1, old)
	})
	name, remove, err := temporary(marked)
	if err != nil {
		return "", err
	}
	defer remove()
	options := frontend.Options{Files: []string{name}, ExtraArgs: append([]string{"-w", "-fcommon"}, o.Flags...), DataModel: frontend.LP64, Unpromoted: true}
	if o.ILP32 {
		options.DataModel = frontend.ILP32
	}
	program, err := frontend.Load(ctx, options)
	var input *frontend.InputError
	switch {
	case errors.As(err, &input):
		return "", &Error{input.Error()}
	case err != nil && ctx.Err() != nil:
		return "the time was not enough to read the program", nil
	case err != nil:
		return "", err
	}
	observed := []string{placeName}
	for _, v := range l.finder.variables {
		if v.system != "" {
			observed = append(observed, v.system)
		}
	}
	facts, err := absint.Analyze(ctx, program.Module, absint.Options{MaxSteps: maxSteps})
	if err == nil {
		l.program, err = integerize.Translate(ctx, program.Module, facts, integerize.Options{Semantics: integerize.Integers, Observed: observed})
	}
	var untranslated *integerize.ErrUntranslated
	switch {
	case errors.As(err, &untranslated):
		return fmt.Sprintf("line %d, in %s: %s", untranslated.Pos.Line, untranslated.Func, untranslated.Why), nil
	case err != nil && ctx.Err() != nil:
		return "the time was not enough to translate the program", nil
	case err != nil:
		return "", err
	}
	l.locate()
	s := l.program.System
	l.equations = make([][]rational.Polynomial, len(s.Locations))
	if r := equations.Rewrite(ctx, s, nil, nil); r != nil && accept.Rewritten(ctx, s, r.System, nil, r.Certificate) == nil {
		l.equations = r.Certificate.Equations
	}
	return "", nil
}

// locate finds the comparisons and the variables in the system.
func (l *linearization) locate() {
	for i, p := range l.program.Places {
		if p.Func == nil || p.Index == 0 {
			continue
		}
		d := p.Func.Def(p.Func.Blocks[p.Block].Instrs[p.Index-1])
		if d.Op != ir.Store {
			continue
		}
		value, target := p.Func.Def(d.Args[0]), p.Func.Def(d.Args[1])
		if target.Op == ir.GlobalAddr && target.Sym == placeName && value.Op == ir.Const {
			k := int(value.Const.Signed().Int64()) - 1
			l.at[k] = append(l.at[k], its.Location(i))
		}
	}
	l.found, l.names = map[*variable]linear.Var{}, map[linear.Var]*variable{}
	for _, v := range l.finder.variables {
		if v.system == "" {
			continue
		}
		if x, err := l.program.Variable(v.system); err == nil {
			l.found[v], l.names[x] = x, v
		}
	}
}

// condition says what a comparison becomes.
func (l *linearization) condition(ctx context.Context, text string, k int, c *comparison, why string) Condition {
	began := time.Now()
	before := text[:c.begin]
	out := Condition{Line: 1 + strings.Count(before, "\n"), Column: c.begin - strings.LastIndex(before, "\n"), Old: strings.Join(strings.Fields(text[c.begin:c.end]), " "), Reason: c.whyNot}
	if out.Reason == "" {
		out.Reason = why
	}
	if out.Reason == "" && len(l.at[k]) == 0 {
		out.Reason = "no run comes to it"
	}
	if out.Reason == "" {
		l.solve(ctx, l.at[k], c, &out)
	}
	if !out.Replaced() && out.Reason == "" {
		out.Reason = "no linear comparison was found"
	}
	if !out.Replaced() && why == "" && len(l.at[k]) > 0 && c.wide != nil {
		l.partly(ctx, l.at[k], c, &out)
	}
	if !out.Replaced() && ctx.Err() != nil {
		out.Reason = "the time was not enough"
	}
	out.Seconds = time.Since(began).Seconds()
	return out
}

// solve looks for a comparison without products.
func (l *linearization) solve(ctx context.Context, at []its.Location, c *comparison, out *Condition) {
	var unknown *variable
	difference, ok := c.difference.Substitute(func(v linear.Var) rational.Polynomial {
		x, known := l.found[l.finder.variables[v]]
		if !known {
			unknown = l.finder.variables[v]
		}
		return rational.Variable(x)
	})
	switch {
	case unknown != nil:
		out.Reason = unknown.name + " is no variable of the integer transition system"
		return
	case !ok:
		out.Reason = "the degree is too great"
		return
	}
	r := &reduction{linearization: l, comparison: c, at: at}
	for degree := 1; degree < max(2, difference.Degree()); degree++ {
		rest, because, ok := r.equal(ctx, difference, degree)
		if !ok {
			continue
		}
		if form, isLinear := rest.Form(); isLinear {
			positive, negative, fits := comparisonOf(form, c.relation, l.name)
			if fits {
				out.Positive, out.Negative, out.Because, out.Proof = positive, negative, because, "equations, checked"
				return
			}
		}
		if l.intervals(ctx, rest, c.relation, out) {
			out.Because = because
			return
		}
		out.Reason, out.Because = "the best that is known: it is "+rest.Format(l.name)+" "+c.relation+" 0", because
		break
	}
	if !l.intervals(ctx, difference, c.relation, out) && !r.powers(ctx, difference, out) {
		out.Known = r.known()
	}
}

// name is the name of a variable in C.
func (l *linearization) name(x linear.Var) string {
	if v := l.names[x]; v != nil {
		return v.name
	}
	return l.program.System.VarName(x)
}
