package main

import (
	"path/filepath"
	"slices"

	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/run/lazyregexp"
)

// boundPart is a part of a bound: what loops or calls cost together, where they are, and why they cost no more.
type boundPart struct {
	Cost  string   `json:"cost"`
	Class string   `json:"class"`
	Where []string `json:"where"`
	Why   string   `json:"why"`
}

// maxParts is how many parts are shown; what is left is smaller.
const maxParts = 12

// parts are those of a bound, the greatest class first. Several with one place and reason are one.
func (f *boundFlags) parts(s *its.System, c *bound.Certificate) (out []boundPart) {
	type key struct{ where, why string }
	sums := map[key]bound.Expression{}
	places := map[key][]string{}
	var order []key
	name := func(v linear.Var) string { return nameOfVariable(s.VarName(v)) }
	for _, x := range c.Shares() {
		var where []string
		for _, b := range x.Blocks {
			if p := placeOf(s, c, b); !slices.Contains(where, p) {
				where = append(where, p)
			}
		}
		slices.Sort(where)
		k := key{why: c.Why(x.Claim, name)}
		for _, p := range where {
			k.where += p + "\n"
		}
		if _, ok := sums[k]; !ok {
			order = append(order, k)
			places[k] = where
		}
		sums[k] = sums[k].Add(x.Cost)
	}
	for _, k := range order[:min(len(order), maxParts)] {
		e := sums[k]
		if n, constant := e.IsConstant(); constant && n.IsZero() {
			continue
		}
		text, class := e.Format(s.VarName), e.Class()
		if f.machine() {
			text, class = e.FormatWithRanges(s.VarName), e.ClassWithRanges(bound.IntRange)
		}
		out = append(out, boundPart{text, class.String(), places[k], k.why})
	}
	return out
}

// placeOf is where a block leads: a line of the program, or the name of a location.
func placeOf(s *its.System, c *bound.Certificate, b int) string {
	path := c.Blocks[b].Path
	if t := &s.Transitions[path[len(path)-1]]; t.Name != "" {
		return filepath.Base(t.Name)
	}
	return s.Locations[c.Nodes[c.Blocks[b].To].Location]
}

// numbered is the name of a variable of a program with its number.
var numbered = lazyregexp.New(`^(.+)_[0-9]+$`)

// nameOfVariable is that of C.
func nameOfVariable(name string) string {
	if m := numbered.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}
