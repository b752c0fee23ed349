// Package graph is the independent checker of symbolic execution graphs
// [AProVE-Ptr, AProVE-BV].
//
// # What is claimed
//
// A graph has states at cutpoints. Node 0 is the beginning of the program. The
// claim: from each program state that a node describes, no path up to the next
// state of a node, or to the end of the run, violates a target; and, if the graph
// has a transition system, each such path has a transition, and the system terminates.
//
// # How it is checked
//
// By evaluating the program again, with rules that share nothing with the
// engine: a node's state is put into Z3 as integers with its constraints, all
// paths from it are followed one instruction after the other, and on each of them
// Z3 is asked whether it is possible, whether each access is inside, and, where a
// path comes to the position of nodes, whether the state there is described by one
// of them (match.go); each thing once (scope.go). How the engine found the states, which cases it split, how it
// generalised: nothing of that matters here, and there are no edges in a
// certificate to be believed. A path that comes back to a block in one activation,
// without a node, is rejected.
//
// Integers are exact: a value of w bits is a term that equals it modulo 2^w, with
// an interval in which the term is; where the value itself is needed and the interval
// is too large, a new integer and the number of times that 2^w is to be subtracted
// are introduced, and linear constraints that determine both.
//
// # Soundness
//
// Follow a run from the start. By induction over its visits of positions of nodes, its
// state is described by a node there: it took a path that was followed here from the
// node before (paths are only left out if Z3 finds them impossible, or the run
// ended), and the state was found to be described. What is not modelled exactly
// yields any value; what cannot be so treated is rejected. So no violation is on a path
// between visits, and an infinite run makes infinitely many visits, for paths are finite;
// it is an infinite run of the system, which the ranking argument (package itscheck)
// excludes.
package graph

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/certify/itscheck"
	"assay/internal/evidence/symgraph"
	"assay/internal/logic/smt/z3"
	"assay/internal/program/ir"
)

// ErrRejected says that a graph does not prove what it claims.
type ErrRejected struct {
	Node int
	Func string
	Pos  ir.Pos
	Why  string
}

func (e *ErrRejected) Error() string {
	return fmt.Sprintf("node %d, in %s: %s", e.Node, e.Func, e.Why)
}

// Options say what the graph has to prove.
type Options struct {
	Targets []ir.CheckKind
	// Label is the C label of ir.ErrorLabel.
	Label string
	// Termination asks for a transition system with a ranking argument.
	Termination bool
}

// maxSteps bounds the instructions evaluated from one node, all paths together.
const maxSteps = 100_000

// Check returns who accepted the graph, or an *ErrRejected, or the error of the
// context or of Z3.
func Check(ctx context.Context, m *ir.Module, g *symgraph.Graph, o Options) (checker string, err error) {
	c := &checkerState{ctx: ctx, m: m, index: m.Index(), g: g, o: o, positions: map[string][]int{}, returns: map[int][]int{}}
	for _, k := range o.Targets {
		c.target[k] = true
	}
	if err := c.shape(); err != nil {
		return "", err
	}
	z, err := z3.NewLinearScript()
	if err != nil {
		return "", err
	}
	defer z.Close()
	c.z = z
	for i := range g.Nodes {
		if g.Nodes[i].Returns {
			continue
		}
		if err := c.node(i); err != nil {
			return "", err
		}
	}
	checker = "symbolic execution of the graph's nodes by Z3"
	if o.Termination {
		if err := itscheck.Ranking(ctx, g.System, g.Argument); err != nil {
			return "", err
		}
		checker += ", ranking functions by Z3"
	}
	return checker, nil
}

// checkerState is the state of a check.
type checkerState struct {
	ctx       context.Context
	m         *ir.Module
	index     *ir.Index
	g         *symgraph.Graph
	o         Options
	target    [64]bool
	positions map[string][]int   // the nodes at a position
	returns   map[int][]int      // of an entry: the nodes that return to it
	lists     bool               // there are list segments
	arrays    []*symgraph.Object // with slots
	strings   bool               // an object leads to strings

	z       *z3.Script
	text    strings.Builder // not yet sent
	scopes  scopes
	names   int
	now     int // node
	steps   int
	from    []number // the symbols of the node, by variable; empty for others
	failure error
	Queries int64
}

// shape checks what of the certificate can be checked by looking at it.
func (c *checkerState) shape() error {
	bad := func(i int, why string) error { return &ErrRejected{Node: i, Why: why} }
	if len(c.g.Nodes) == 0 {
		return bad(0, "there are no nodes")
	}
	for i := range c.g.Nodes {
		s := &c.g.Nodes[i].State
		listed := func(v *symgraph.Value) bool {
			return v.Kind != symgraph.Pointer || v.Object >= symgraph.Null && int(v.Object) < len(s.Objects) &&
				(!v.Last || v.Object >= 0 && s.Objects[v.Object].List != nil && s.Objects[v.Object].List.Double)
		}
		if i > 0 {
			if len(s.Frames) == 0 {
				return bad(i, "there are no frames")
			}
			for k := range s.Frames {
				f := &s.Frames[k]
				if f.Func == nil || f.Func != c.index.Funcs[f.Func.Name] || f.Block < 1 || int(f.Block) >= len(f.Func.Blocks) ||
					f.Index < 0 || f.Index >= len(f.Func.Blocks[f.Block].Instrs) || len(f.Values) != len(f.Func.Values) {
					return bad(i, "a frame is ill-formed")
				}
				for v := range f.Values {
					if !listed(&f.Values[v]) {
						return bad(i, "a pointer to an object that is not listed")
					}
				}
				at := f.Func.Def(f.Func.Blocks[f.Block].Instrs[f.Index])
				if k < len(s.Frames)-1 && at.Op != ir.Call {
					return bad(i, "a frame waits for no call")
				}
			}
			for k := range s.Objects {
				if l := s.Objects[k].List; l != nil {
					c.lists = true
					if !listed(&l.Tail) || !listed(&l.Before) {
						return bad(i, "a pointer to an object that is not listed")
					}
					if !nested(l, 0) {
						return bad(i, "nodes own what is no segment")
					}
				}
				if l := s.Objects[k].Slots; l != nil {
					c.lists = true
					if o := l.Owned.Nodes; o == nil || o.List == nil || !nested(o.List, 1) || l.At < 0 || l.Stride < int64(c.m.PointerBits/8) {
						return bad(i, "an array owns what is no segment, or has slots that overlap")
					}
					c.arrays = append(c.arrays, &s.Objects[k])
				}
				c.strings = c.strings || s.Objects[k].Strings != nil
				for x := range s.Objects[k].Cells {
					if !listed(&s.Objects[k].Cells[x].Value) {
						return bad(i, "a pointer to an object that is not listed")
					}
				}
			}
			if why := c.activation(i); why != "" {
				return bad(i, why)
			}
			p := position(s.Frames, s.Entry)
			switch {
			case int(s.Entry) == i:
				p = position(s.Frames, beginning)
			case c.g.Nodes[i].Returns:
				p += "return"
				c.returns[int(s.Entry)] = append(c.returns[int(s.Entry)], i)
			}
			c.positions[p] = append(c.positions[p], i)
		}
	}
	if !c.o.Termination {
		return nil
	}
	sys := c.g.System
	if sys == nil {
		return bad(0, "there is no transition system")
	}
	if err := sys.Check(); err != nil {
		return bad(0, err.Error())
	}
	seen := map[int32]bool{}
	for i := range c.g.Nodes {
		l := c.g.Nodes[i].Location
		if seen[int32(l)] || l < 0 || int(l) >= len(sys.Locations) {
			return bad(i, "the location of the node is not its own")
		}
		seen[int32(l)] = true
	}
	if sys.Initial != c.g.Nodes[0].Location {
		return bad(0, "the system begins elsewhere")
	}
	for i := range sys.Transitions {
		if !sys.Transitions[i].Fair || len(sys.Transitions[i].Products) > 0 {
			return bad(0, "a transition that is not fair, or has products")
		}
	}
	return nil
}

// beginning is the entry of a state that is about to become one.
const beginning = -1

// position names a place in the program with its call stack, and where that begins.
func position(frames []symgraph.Frame, entry int32) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d ", entry)
	for i := range frames {
		fmt.Fprintf(&b, "%s:%d.%d/", frames[i].Func.Name, frames[i].Block, frames[i].Index)
	}
	return b.String()
}

// node follows all paths from a node.
func (c *checkerState) node(i int) error {
	c.scopes, c.now, c.steps = newScopes(), i, 0
	c.push()
	var s *state
	if i == 0 {
		s = c.start()
		c.from = make([]number, c.symbols())
		if s == nil {
			return &ErrRejected{Why: "the entry function has no body"}
		}
	} else {
		s = c.load(i)
	}
	if c.failure == nil {
		c.walk(s)
	}
	c.pop()
	return c.failure
}

func (c *checkerState) symbols() int {
	n := 0
	for i := range c.g.Nodes {
		for _, v := range c.g.Nodes[i].Symbols {
			n = max(n, int(v)+1)
		}
	}
	return n
}

// reject gives up.
func (c *checkerState) reject(s *state, format string, args ...any) {
	if c.failure != nil {
		return
	}
	e := &ErrRejected{Node: c.now, Why: fmt.Sprintf(format, args...)}
	if s != nil && len(s.frames) > 0 {
		f := s.top()
		e.Func, e.Pos = f.f.Name, f.f.Def(f.f.Blocks[f.block].Instrs[f.index]).Pos
	}
	c.failure = e
}

// say sends text to Z3 with the next question.
func (c *checkerState) say(format string, args ...any) { fmt.Fprintf(&c.text, format, args...) }

// Terms.

func (c *checkerState) name(prefix string) string {
	c.names++
	return fmt.Sprintf("%s%d", prefix, c.names)
}

// unknown declares an integer in an interval.
func (c *checkerState) unknown(prefix string, low, high *big.Int) number {
	n := c.name(prefix)
	c.say("(declare-const %s Int)\n", n)
	c.define(fmt.Sprintf("(<= %s %s %s)", integer(low), n, integer(high)))
	return number{n, low, high}
}

func integer(n *big.Int) string {
	if n.Sign() < 0 {
		return "(- " + new(big.Int).Neg(n).String() + ")"
	}
	return n.String()
}

func all(ts []string) string {
	if slices.Contains(ts, "false") {
		return "false"
	}
	ts = slices.DeleteFunc(slices.Clone(ts), func(t string) bool { return t == "true" })
	switch len(ts) {
	case 0:
		return "true"
	case 1:
		return ts[0]
	}
	return "(and " + strings.Join(ts, " ") + ")"
}
