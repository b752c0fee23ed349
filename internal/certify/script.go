package certify

import (
	buffers "bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/internal/logic/term"
)

// This file keeps the questions of an accepted certificate as a script for SMT solvers: what was asked of our solvers,
// for others to ask theirs. A question is that some claim fails, with all facts that were found to be needed; the certificate is
// accepted because each is unsatisfiable. How it was decided here (in pieces, over the integers, by calculation) plays no part:
// all these ways refute something weaker.
//
// The script has what the program means built in, as this checker encodes it; with Options.Strict without the
// simplification of terms, too.

// Script collects questions.
type Script struct {
	bodies [][]byte
	all    bool // some need more than bit-vectors and arrays
	err    error
}

// Questions is the number of questions.
func (s *Script) Questions() int { return len(s.bodies) }

// add keeps a question: that one of the claims fails, with these facts.
func (s *Script) add(st *term.Store, conds, facts []term.ID) {
	if s == nil || s.err != nil {
		return
	}
	some := st.False()
	for _, c := range slices.Backward(conds) {
		some = st.Or(c, some)
	}
	var body buffers.Buffer
	if s.err = st.WriteSMTLIB(&body, append([]term.ID{some}, about(st, some, facts)...)); s.err != nil {
		return
	}
	logic, rest, _ := buffers.Cut(body.Bytes(), []byte("\n"))
	s.all = s.all || !buffers.Contains(logic, []byte("QF_ABV"))
	s.bodies = append(s.bodies, rest)
}

// about are the facts that share variables with a term, directly or by others.
func about(st *term.Store, root term.ID, facts []term.ID) []term.ID {
	known := map[term.ID]bool{}
	for _, v := range st.Vars(root) {
		known[v] = true
	}
	seen := map[term.ID]bool{}
	var out, left []term.ID
	for _, f := range facts {
		if !seen[f] {
			seen[f] = true
			left = append(left, f)
		}
	}
	for again := true; again; {
		again = false
		rest := left[:0]
		for _, f := range left {
			vars := st.Vars(f)
			if len(vars) > 0 && !slices.ContainsFunc(vars, func(v term.ID) bool { return known[v] }) {
				rest = append(rest, f)
				continue
			}
			out, again = append(out, f), true
			for _, v := range vars {
				known[v] = true
			}
		}
		left = rest
	}
	return out
}

// Write writes the script; what are lines of a comment.
func (s *Script) Write(w io.Writer, what ...string) error {
	if s.err != nil {
		return s.err
	}
	logic := "QF_ABV"
	if s.all {
		logic = "ALL"
	}
	var b buffers.Buffer
	for _, line := range what {
		fmt.Fprintf(&b, "; %s\n", strings.ReplaceAll(line, "\n", "\n; "))
	}
	fmt.Fprintf(&b, "; The proof holds if and only if the answer to each of the %d questions is unsat.\n(set-logic %s)\n(set-info :status unsat)\n", max(len(s.bodies), 1), logic)
	switch len(s.bodies) {
	case 0:
		b.WriteString("; Constants decide everything: there is no claim left.\n(assert false)\n(check-sat)\n")
	case 1:
		b.Write(s.bodies[0])
	default:
		for _, body := range s.bodies {
			fmt.Fprintf(&b, "(push 1)\n%s(pop 1)\n", body)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}
