// Package conjunction decides conjunctions of linear and product constraints over
// the integers with Z3, and reads models.
package conjunction

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"assay/internal/logic/linear"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/z3"
	"assay/internal/run/pause"
	"assay/internal/run/work"
)

// Product says that variable V is A·B.
type Product struct {
	V    linear.Var
	A, B linear.Form
}

// Query is a conjunction over the variables below Variables.
type Query struct {
	Variables   int
	Constraints []linear.Constraint
	Products    []Product
	Clauses     [][]linear.Constraint // of each, one constraint holds
}

// Solver answers queries one after the other; it belongs to one goroutine.
type Solver struct {
	z *z3.Script
	// Timeout of one query, 0 for two seconds. (Z3's own timeout would start a
	// thread for each check.)
	Timeout time.Duration
	Queries int64
}

// Close frees the solver; it is idempotent.
func (s *Solver) Close() {
	if s.z != nil {
		s.z.Close()
	}
	s.z = nil
}

// Solve looks for integers that satisfy everything: Sat with a value for each of
// the variables, Unsat, or Unknown after the timeout. The error is that of the
// context or of Z3.
func (s *Solver) Solve(ctx context.Context, q Query) (smt.Status, []*big.Int, error) {
	pause.Wait(ctx)
	n := q.Variables
	s.Queries++
	if s.z == nil {
		z, err := z3.NewScript()
		if err != nil {
			return smt.Unknown, nil, err
		}
		s.z = z
	}
	used := make([]bool, n)
	name := func(v linear.Var) string {
		used[v] = true
		return fmt.Sprintf("v%d", v)
	}
	var body strings.Builder
	for _, c := range q.Constraints {
		body.WriteString("(assert ")
		c.WriteSMT(&body, name)
		body.WriteString(")\n")
	}
	for _, clause := range q.Clauses {
		body.WriteString("(assert (or false")
		for _, c := range clause {
			body.WriteByte(' ')
			c.WriteSMT(&body, name)
		}
		body.WriteString("))\n")
	}
	for _, p := range q.Products {
		body.WriteString("(assert (= " + name(p.V) + " (* ")
		p.A.WriteSMT(&body, name)
		body.WriteString(" ")
		p.B.WriteSMT(&body, name)
		body.WriteString(")))\n")
	}
	timeout := s.Timeout
	if timeout == 0 {
		timeout = 2 * time.Second
	}
	var text, values strings.Builder
	text.WriteString("(push)\n")
	count := 0
	for v, u := range used {
		if u {
			fmt.Fprintf(&text, "(declare-const v%d Int)\n", v)
			fmt.Fprintf(&values, " v%d", v)
			count++
		}
	}
	text.WriteString(body.String())
	text.WriteString("(check-sat)\n")
	soft, cancel := work.WithTimeout(ctx, timeout)
	out, err := s.eval(soft, text.String())
	cancel()
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return smt.Unknown, nil, nil // and a new script next time
	case err != nil:
		return smt.Unknown, nil, err
	}
	status := smt.Unknown
	model := make([]*big.Int, n)
	for v := range model {
		model[v] = new(big.Int)
	}
	switch strings.TrimSpace(out) {
	case "unsat":
		status = smt.Unsat
	case "sat":
		status = smt.Sat
		if count > 0 {
			out, err = s.eval(ctx, "(get-value ("+values.String()+"))")
			if err != nil {
				return smt.Unknown, nil, err
			}
			if err := readValues(out, model); err != nil {
				return smt.Unknown, nil, err
			}
		}
	}
	_, err = s.eval(ctx, "(pop)")
	return status, model, err
}

// eval throws the script away if something goes wrong in it.
func (s *Solver) eval(ctx context.Context, text string) (string, error) {
	out, err := s.z.Eval(ctx, text)
	if err != nil {
		s.Close()
	}
	return out, err
}

var errModel = errors.New("integer: Z3 printed a model that cannot be read")

// readValues reads ((v1 5) (v2 (- 3))).
func readValues(text string, model []*big.Int) error {
	fields := strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(text))
	for i := 0; i+1 < len(fields); i += 2 {
		var v int
		if _, err := fmt.Sscanf(fields[i], "v%d", &v); err != nil || v < 0 || v >= len(model) {
			return errModel
		}
		negative := fields[i+1] == "-"
		if negative {
			i++
		}
		if i+1 >= len(fields) {
			return errModel
		}
		n, ok := new(big.Int).SetString(fields[i+1], 10)
		if !ok {
			return errModel
		}
		if negative {
			n.Neg(n)
		}
		model[v] = n
	}
	return nil
}
