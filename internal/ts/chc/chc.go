// Package chc writes transition systems as constrained Horn clauses in SMT-LIB
// (logic HORN), for solvers such as Spacer [KomuravelliGurfinkelChaki14: A.
// Komuravelli, A. Gurfinkel, S. Chaki. SMT-Based Model Checking for Recursive
// Programs. CAV 2014].
//
// The predicate Reach holds for the reachable states; sat means that no bad state
// is reachable. Where initial values or conditions depend on inputs, Reach has the
// inputs of the step as arguments, too, because the step uses the same ones.
package chc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/internal/term"
	"assay/internal/ts"
)

type writer struct {
	w     *bufio.Writer
	s     *ts.System
	names map[term.ID]string
	joint bool // Reach has the inputs
}

// Write prints the system. Justice properties are not expressible.
func Write(to io.Writer, s *ts.System) error {
	if len(s.Bad) == 0 {
		return errors.New("the model has no bad state, which is all that Horn clauses express")
	}
	w := &writer{w: bufio.NewWriter(to), s: s, names: map[term.ID]string{}}
	store := s.Store
	inputs := map[term.ID]bool{}
	for i, v := range s.States {
		w.names[v.Term] = fmt.Sprintf("s%d", i)
	}
	for i, v := range s.Inputs {
		w.names[v.Term] = fmt.Sprintf("i%d", i)
		inputs[v.Term] = true
	}
	initial := append([]term.ID(nil), s.Init...)
	for _, v := range s.States {
		if v.Init != 0 {
			initial = append(initial, store.Eq(v.Term, v.Init))
		}
	}
	for _, v := range store.Vars(initial...) {
		w.joint = w.joint || inputs[v]
	}
	fmt.Fprintln(w.w, "(set-logic HORN)")
	for i, v := range s.States {
		fmt.Fprintf(w.w, "; s%d is %s\n", i, strings.ReplaceAll(v.Name, "\n", " "))
	}
	for i, v := range s.Inputs {
		fmt.Fprintf(w.w, "; i%d is %s\n", i, strings.ReplaceAll(v.Name, "\n", " "))
	}
	fmt.Fprintf(w.w, "(declare-fun Reach (")
	for _, v := range s.States {
		fmt.Fprintf(w.w, " %s", store.Sort(v.Term))
	}
	if w.joint {
		for _, v := range s.Inputs {
			fmt.Fprintf(w.w, " %s", store.Sort(v.Term))
		}
	}
	fmt.Fprintln(w.w, " ) Bool)")

	here := func() string { return w.atom(func(v term.ID) string { return w.names[v] }, "") }
	w.clause(initial, "", here, nil)
	step := append(append([]term.ID(nil), s.Constraints...), s.Transitions...)
	var next []term.ID
	for _, v := range s.States {
		next = append(next, v.Next)
	}
	w.clause(step, here(), func() string {
		image := map[term.ID]string{}
		for _, v := range s.States {
			image[v.Term] = w.names[v.Next]
		}
		return w.atom(func(v term.ID) string { return image[v] }, "!next")
	}, next)
	var bad []term.ID
	for _, b := range s.Bad {
		bad = append(bad, b.Term)
	}
	violated := store.OrAll(bad...)
	w.clause(append(append([]term.ID(nil), s.Constraints...), violated), here(), func() string { return "false" }, nil)
	fmt.Fprintln(w.w, "(check-sat)")
	return w.w.Flush()
}

// atom is Reach of the states' names and, if joint, the inputs with a suffix.
func (w *writer) atom(state func(term.ID) string, suffix string) string {
	var args []string
	for _, v := range w.s.States {
		args = append(args, state(v.Term))
	}
	if w.joint {
		for _, v := range w.s.Inputs {
			args = append(args, w.names[v.Term]+suffix)
		}
	}
	if len(args) == 0 {
		return "Reach"
	}
	return "(Reach " + strings.Join(args, " ") + ")"
}

// clause prints: for all states and inputs, the conditions and the atom before
// imply head, which may mention the terms of more.
func (w *writer) clause(conditions []term.ID, before string, head func() string, more []term.ID) {
	store := w.s.Store
	var variables []string
	declare := func(t term.ID, suffix string) {
		variables = append(variables, fmt.Sprintf("(%s%s %s)", w.names[t], suffix, store.Sort(t)))
	}
	for _, v := range w.s.States {
		declare(v.Term, "")
	}
	for _, v := range w.s.Inputs {
		declare(v.Term, "")
		if w.joint {
			declare(v.Term, "!next")
		}
	}
	fmt.Fprint(w.w, "(assert ")
	closing := 1
	if len(variables) > 0 {
		fmt.Fprintf(w.w, "(forall (%s)\n", strings.Join(variables, " "))
		closing++
	}
	// Every term gets a name; names of an earlier clause are out of scope.
	local := w.names
	w.names = map[term.ID]string{}
	for t, n := range local {
		if store.Op(t) == term.OpVar {
			w.names[t] = n
		}
	}
	store.Walk(append(append([]term.ID(nil), conditions...), more...), func(t term.ID) {
		if _, ok := w.names[t]; ok {
			return
		}
		text := w.application(t)
		if store.NumArgs(t) == 0 {
			w.names[t] = text
			return
		}
		w.names[t] = fmt.Sprintf("t%d", t)
		fmt.Fprintf(w.w, "(let ((%s %s))\n", w.names[t], text)
		closing++
	})
	body := []string{"(and true"}
	if before != "" {
		body = append(body, before)
	}
	for _, c := range conditions {
		body = append(body, w.names[c])
	}
	fmt.Fprintf(w.w, "(=> %s) %s)%s\n", strings.Join(body, " "), head(), strings.Repeat(")", closing))
}

// application is a term whose arguments have names.
func (w *writer) application(t term.ID) string {
	s := w.s.Store
	var head string
	switch op := s.Op(t); op {
	case term.OpConst:
		return fmt.Sprintf("(_ bv%s %d)", s.ConstValue(t).Unsigned(), s.Width(t))
	case term.OpTrue, term.OpFalse:
		return op.String()
	case term.OpExtract:
		hi, lo := s.ExtractBounds(t)
		head = fmt.Sprintf("(_ extract %d %d)", hi, lo)
	case term.OpZExt, term.OpSExt:
		head = fmt.Sprintf("(_ %s %d)", op, s.Width(t)-s.Width(s.Arg(t, 0)))
	default:
		head = op.String()
	}
	text := "(" + head
	for i := range s.NumArgs(t) {
		text += " " + w.names[s.Arg(t, i)]
	}
	return text + ")"
}
