// Package region has finite unions of convex polyhedra over the integers: sets of states of an
// integer transition system.
//
// All operations are exact, but Backward: projections over the integers are not convex in
// general. What it leaves out, or adds, is said there.
package region

import (
	"context"
	"errors"
	"slices"
	"strings"

	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
)

// Region is a union. nil is the empty set.
type Region []polyhedra.Polyhedron

// ErrTooMany says that a union has too many parts.
var ErrTooMany = errors.New("a set of states has too many cases")

// maxParts bounds the parts of a union.
const maxParts = 120

// All are all states.
func All() Region { return Region{{}} }

// Of is the region of a conjunction.
func Of(ctx context.Context, cs ...linear.Constraint) Region {
	return Region(nil).add(ctx, polyhedra.Of(ctx, cs...))
}

// add adds a part, and drops what is part of another.
func (r Region) add(ctx context.Context, p polyhedra.Polyhedron) Region {
	if p.IsEmpty() {
		return r
	}
	for _, q := range r {
		if p.Within(ctx, q) {
			return r
		}
	}
	out := make(Region, 0, len(r)+1)
	for _, q := range r {
		if !q.Within(ctx, p) {
			out = append(out, q)
		}
	}
	return append(out, p)
}

// Union is the states of either.
func (r Region) Union(ctx context.Context, s Region) Region {
	for _, p := range s {
		r = r.add(ctx, p)
	}
	return r
}

// Meet is the states of both. The error is ErrTooMany or the context's.
func (r Region) Meet(ctx context.Context, s Region) (Region, error) {
	var out Region
	for _, p := range r {
		for _, q := range s {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if out = out.add(ctx, p.Meet(ctx, q.Constraints()...)); len(out) > maxParts {
				return nil, ErrTooMany
			}
		}
	}
	return out, nil
}

// Minus is the states of r that are not in s. The error is ErrTooMany or the context's.
func (r Region) Minus(ctx context.Context, s Region) (Region, error) {
	for _, q := range s {
		var out Region
		for _, p := range r {
			if p.Meet(ctx, q.Constraints()...).IsEmpty() {
				out = out.add(ctx, p)
				continue
			}
			rest := p // what satisfies the constraints of q so far
			for _, c := range q.Constraints() {
				for _, n := range c.Negations() {
					out = out.add(ctx, rest.Meet(ctx, n))
				}
				rest = rest.Meet(ctx, c)
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if len(out) > maxParts {
				return nil, ErrTooMany
			}
		}
		r = out
	}
	return r, nil
}

// Within says whether all states of r are states of s; false may mean that only the integer
// points are. The error is ErrTooMany or the context's.
func (r Region) Within(ctx context.Context, s Region) (bool, error) {
	left, err := r.Minus(ctx, s)
	return len(left) == 0, err
}

// IsEmpty says that there is no state.
func (r Region) IsEmpty() bool { return len(r) == 0 }

// Format prints the region with the names of the variables, but for constraints of what is known.
func (r Region) Format(name func(linear.Var) string, known Region) string {
	if len(r) == 0 {
		return "false"
	}
	var parts []string
	for _, p := range r {
		var cs []string
		for _, c := range p.Constraints() {
			if !slices.ContainsFunc(known, func(k polyhedra.Polyhedron) bool { return slices.ContainsFunc(k.Constraints(), c.Equal) }) {
				cs = append(cs, c.Format(name))
			}
		}
		if len(cs) == 0 {
			return "true"
		}
		parts = append(parts, strings.Join(cs, " && "))
	}
	return strings.Join(parts, " || ")
}
