// Package dimspec reads and writes transition systems in the DimSpec format
// [LLUMC §2] and its solutions: four sections of clauses over N variables,
//
//	i  hold in the first state,     u  hold in every state,
//	g  hold in the last state,      t  relate a state (1 to N) to the next (N+1 to 2N),
//
// in this order. The formula is satisfiable if for some k there are states 0 to k
// for which all of this holds: the goal is reachable.
package dimspec

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
)

// Formula is a file: clauses as literals, each clause ended by 0.
type Formula struct {
	Variables                            int
	Initial, Universal, Goal, Transition []int32
}

// sections in their order.
func (f *Formula) sections() [4]*[]int32 {
	return [4]*[]int32{&f.Initial, &f.Universal, &f.Goal, &f.Transition}
}

const letters = "iugt"

// maxVariables bounds what a header can ask for.
const maxVariables = 1 << 26

// Read parses a file. The error is a *ts.SyntaxError.
func Read(text []byte) (*Formula, error) {
	f := &Formula{}
	section, wanted, found, open := -1, 0, 0, 0
	line := 0
	fail := func(format string, args ...any) (*Formula, error) {
		return nil, &ts.SyntaxError{Line: line, What: fmt.Sprintf(format, args...)}
	}
	finish := func() error {
		var what string
		switch {
		case section < 0:
			return nil
		case open > 0:
			what = fmt.Sprintf("the last clause of section %c has no 0 at its end", letters[section])
		case found != wanted:
			what = fmt.Sprintf("section %c has %d clauses, its header says %d", letters[section], found, wanted)
		default:
			return nil
		}
		return &ts.SyntaxError{Line: line, What: what}
	}
	for len(text) > 0 {
		var row []byte
		row, text, _ = bytes.Cut(text, []byte{'\n'})
		line++
		fields := bytes.Fields(row)
		if len(fields) == 0 || fields[0][0] == 'c' {
			continue
		}
		if c := fields[0][0]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			if err := finish(); err != nil {
				return nil, err
			}
			if section++; section > 3 {
				return fail("%q comes after section t, the last one", fields[0])
			}
			if len(fields) != 4 || len(fields[0]) != 1 || c != letters[section] || string(fields[1]) != "cnf" {
				return fail("the header %q is not \"%c cnf VARIABLES CLAUSES\"; the sections are i, u, g, t in this order", row, letters[section])
			}
			n, err := strconv.Atoi(string(fields[2]))
			m, err2 := strconv.Atoi(string(fields[3]))
			if err != nil || err2 != nil || n < 0 || m < 0 {
				return fail("the header %q has no two numbers", row)
			}
			switch {
			case n > 2*maxVariables:
				return fail("%d variables; at most %d are supported", n, maxVariables)
			case section == 0:
				f.Variables = n
			case n != f.Variables && !(section == 3 && n == 2*f.Variables):
				return fail("section %c has %d variables, section i has %d", letters[section], n, f.Variables)
			}
			wanted, found = m, 0
			continue
		}
		if section < 0 {
			return fail("%q comes before the header of section i", fields[0])
		}
		limit := f.Variables
		if section == 3 {
			limit *= 2
		}
		to := f.sections()[section]
		for _, w := range fields {
			l, err := strconv.ParseInt(string(w), 10, 32)
			if err != nil {
				return fail("%q is not a literal", w)
			}
			if l > int64(limit) || -l > int64(limit) {
				return fail("the literal %d is out of range: section %c has the variables 1 to %d", l, letters[section], limit)
			}
			*to = append(*to, int32(l))
			open++
			if l == 0 {
				open = 0
				found++
			}
		}
	}
	if err := finish(); err != nil {
		return nil, err
	}
	if section < 3 {
		return fail("the file ends without section %c; the sections are i, u, g, t in this order", letters[section+1])
	}
	return f, nil
}

// Write prints the formula.
func (f *Formula) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	for i, s := range f.sections() {
		n, clauses := f.Variables, 0
		for _, l := range *s {
			if l == 0 {
				clauses++
			}
		}
		if i == 3 {
			n *= 2
		}
		fmt.Fprintf(w, "%c cnf %d %d\n", letters[i], n, clauses)
		start := true
		for _, l := range *s {
			if !start {
				w.WriteByte(' ')
			}
			w.WriteString(strconv.Itoa(int(l)))
			if start = l == 0; start {
				w.WriteByte('\n')
			}
		}
	}
	return w.Flush()
}

// Solution is the states of a run to the goal, by step, then by variable from 1
// (index 0 is unused).
type Solution [][]bool

// Solution is the states of a trace.
func (m *Model) Solution(t *ts.Trace) (Solution, error) {
	run, err := m.System.Simulate(t)
	if err != nil {
		return nil, err
	}
	var sol Solution
	for k, step := range run {
		row := make([]bool, m.Formula.Variables+1)
		for v := 1; v <= m.Formula.Variables; v++ {
			switch {
			case m.state[v] >= 0:
				row[v] = step.States[m.state[v]].IsTrue()
			case m.next[v] >= 0 && k > 0:
				row[v] = run[k-1].Inputs[m.next[v]].IsTrue()
			case m.input[v] >= 0:
				row[v] = step.Inputs[m.input[v]].IsTrue()
			}
		}
		for _, g := range m.gates {
			truth := true
			for _, l := range g.operands {
				truth = truth && row[variable(l)] == (l > 0)
			}
			row[variable(g.literal)] = truth == (g.literal > 0)
		}
		sol = append(sol, row)
	}
	return sol, nil
}

// Check verifies a solution, clause by clause.
func (f *Formula) Check(s Solution) error {
	n := f.Variables
	if len(s) == 0 {
		return fmt.Errorf("a solution without a state")
	}
	value := func(k int, l int32) bool {
		v := int(max(l, -l))
		if v > n {
			return s[k+1][v-n] == (l > 0)
		}
		return s[k][v] == (l > 0)
	}
	check := func(section int, k int) error {
		holds, number := false, 1
		for _, l := range *f.sections()[section] {
			if l == 0 {
				if !holds {
					return fmt.Errorf("clause %d of section %c does not hold in step %d", number, letters[section], k)
				}
				holds = false
				number++
				continue
			}
			holds = holds || value(k, l)
		}
		return nil
	}
	for k, row := range s {
		if len(row) != n+1 {
			return fmt.Errorf("step %d has %d variables and not %d", k, len(row)-1, n)
		}
		if err := check(1, k); err != nil {
			return err
		}
		if k+1 < len(s) {
			if err := check(3, k); err != nil {
				return err
			}
		}
	}
	if err := check(0, 0); err != nil {
		return err
	}
	return check(2, len(s)-1)
}

// Write prints the solution as incplan does: "solution N STATES", then the
// literals of each state on a line.
func (s Solution) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "solution %d %d\n", len(s[0])-1, len(s))
	for _, row := range s {
		for v := 1; v < len(row); v++ {
			if v > 1 {
				w.WriteByte(' ')
			}
			if !row[v] {
				w.WriteByte('-')
			}
			w.WriteString(strconv.Itoa(v))
		}
		w.WriteByte('\n')
	}
	return w.Flush()
}

// ReadSolution parses what Write prints. The error is a *ts.SyntaxError.
func ReadSolution(text []byte) (Solution, error) {
	line := 0
	fail := func(format string, args ...any) (Solution, error) {
		return nil, &ts.SyntaxError{Line: line, What: fmt.Sprintf(format, args...)}
	}
	var n, steps int
	var s Solution
	for len(text) > 0 {
		var row []byte
		row, text, _ = bytes.Cut(text, []byte{'\n'})
		line++
		fields := bytes.Fields(row)
		if line == 1 {
			if len(fields) != 3 || string(fields[0]) != "solution" {
				return fail("the first line is not \"solution VARIABLES STATES\"")
			}
			var err, err2 error
			n, err = strconv.Atoi(string(fields[1]))
			steps, err2 = strconv.Atoi(string(fields[2]))
			if err != nil || err2 != nil || n < 0 || steps < 1 || n > maxVariables {
				return fail("the first line is not \"solution VARIABLES STATES\"")
			}
			continue
		}
		if len(fields) == 0 && n > 0 {
			continue
		}
		if len(s) == steps || len(fields) != n {
			return fail("%d literals and not %d, or more than %d states", len(fields), n, steps)
		}
		values := make([]bool, n+1)
		seen := make([]bool, n+1)
		for _, w := range fields {
			l, err := strconv.Atoi(string(w))
			v := max(l, -l)
			if err != nil || v == 0 || v > n || seen[v] {
				return fail("%q is not a literal of a new variable", w)
			}
			seen[v], values[v] = true, l > 0
		}
		s = append(s, values)
	}
	if line == 0 || len(s) != steps {
		return fail("%d states and not %d", len(s), steps)
	}
	return s, nil
}

// FromCircuit writes a circuit: its variables are the latches, the inputs, and the
// gates, which section u defines. Justice is not expressible and is left out.
func FromCircuit(c *ts.Circuit) *Formula {
	f := &Formula{}
	number := make([]int32, c.Graph.Len())
	fresh := func(n int32) {
		f.Variables++
		number[n] = int32(f.Variables)
	}
	for _, l := range c.Latches {
		fresh(l.Lit.Node())
	}
	for _, l := range c.Inputs {
		fresh(l.Node())
	}
	cone := ts.Cone(c.Graph, c.Roots())
	for _, n := range cone {
		if c.Graph.IsAnd(n) {
			fresh(n)
		}
	}
	of := func(l sat.Lit) int32 {
		if l.Negated() {
			return -number[l.Node()]
		}
		return number[l.Node()]
	}
	clause := func(to *[]int32, ls ...int32) { *to = append(append(*to, ls...), 0) }
	// assert adds the clause that l holds, or a literal more.
	assert := func(to *[]int32, l sat.Lit, more ...int32) {
		switch l {
		case sat.True:
		case sat.False:
			clause(to, more...)
		default:
			clause(to, append([]int32{of(l)}, more...)...)
		}
	}
	for _, n := range cone {
		if c.Graph.IsAnd(n) {
			a, b := c.Graph.Children(n)
			x, y, z := of(a), of(b), number[n]
			clause(&f.Universal, -z, x)
			clause(&f.Universal, -z, y)
			clause(&f.Universal, z, -x, -y)
		}
	}
	for _, l := range c.Latches {
		if !l.Arbitrary() {
			assert(&f.Initial, l.Reset, -of(l.Lit))
			assert(&f.Initial, l.Reset.Not(), of(l.Lit))
		}
		primed := of(l.Lit) + int32(f.Variables)
		assert(&f.Transition, l.Next, -primed)
		assert(&f.Transition, l.Next.Not(), primed)
	}
	for _, l := range c.Init {
		assert(&f.Initial, l)
	}
	for _, l := range c.Constraints {
		assert(&f.Universal, l)
	}
	for _, l := range c.Transitions {
		assert(&f.Transition, l)
	}
	var goal []int32
	for _, l := range c.Bad {
		if l == sat.True {
			return f
		}
		if l != sat.False {
			goal = append(goal, of(l))
		}
	}
	clause(&f.Goal, goal...)
	return f
}
