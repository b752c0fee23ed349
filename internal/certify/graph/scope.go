package graph

import (
	"context"
	"errors"
	"strings"
)

// This file is what the checker remembers of the open scopes, so that Z3 is asked, and told, the same thing once.
// On a path the same access is checked, and the same byte sign-extended, at each turn of a loop that a node
// does not cut, and each time there were two new integers and one more question.
//
//  1. What was asserted or proved in a scope holds in the scopes in it: a fact is remembered until its scope ends.
//  2. The integer that equals a term modulo 2^w in a given range is one integer, and so are the quotient and the
//     rest of two terms: a second one is the first.
//  3. Where the state is known to exist, and does not under a condition, it does under the opposite of
//     the condition. Where it is not known, Z3 is asked; that a path is followed which does not exist can only
//     make the checker reject more.
//
// Facts are texts: what is written in two ways is two facts.

// scopes are the open scopes.
type scopes struct {
	facts  map[string]bool
	names  map[string][2]number
	trail  []remembered
	opened []opened
	exists bool // Z3 has found a state on this path, and what was asserted since restricts no more than new names
}

// remembered is an entry of facts or of names, to be forgotten.
type remembered struct {
	key  string
	name bool
}

type opened struct {
	trail  int
	exists bool
}

func newScopes() scopes {
	return scopes{facts: map[string]bool{}, names: map[string][2]number{}}
}

func (c *checkerState) push() {
	c.text.WriteString("(push)\n")
	c.scopes.opened = append(c.scopes.opened, opened{len(c.scopes.trail), c.scopes.exists})
}

func (c *checkerState) pop() {
	c.text.WriteString("(pop)\n")
	s := &c.scopes
	last := s.opened[len(s.opened)-1]
	s.opened = s.opened[:len(s.opened)-1]
	for _, r := range s.trail[last.trail:] {
		if r.name {
			delete(s.names, r.key)
		} else {
			delete(s.facts, r.key)
		}
	}
	s.trail, s.exists = s.trail[:last.trail], last.exists
}

// holds says whether t was asserted or proved in an open scope.
func (s *scopes) holds(t string) bool { return t == "true" || s.facts[t] }

// excluded says whether the opposite of t was.
func (s *scopes) excluded(t string) bool { return t == "false" || s.facts[not(t)] }

func (s *scopes) learn(t string) {
	if !s.holds(t) {
		s.facts[t] = true
		s.trail = append(s.trail, remembered{key: t})
	}
}

// once gives the numbers that were defined under a key in an open scope, else those that define makes.
func (s *scopes) once(key string, define func() (a, b number)) (a, b number) {
	if n, ok := s.names[key]; ok {
		return n[0], n[1]
	}
	a, b = define()
	s.names[key] = [2]number{a, b}
	s.trail = append(s.trail, remembered{key, true})
	return a, b
}

// assert restricts the states of the path.
func (c *checkerState) assert(t string) {
	if c.scopes.holds(t) {
		return
	}
	c.define(t)
	c.scopes.exists = false
}

// define says what holds of new names, or of each state of the path.
func (c *checkerState) define(t string) {
	if c.scopes.holds(t) {
		return
	}
	c.scopes.learn(t)
	c.text.WriteString("(assert " + t + ")\n")
}

// branch is a condition under which a path goes on, with the scope that both opens.
type branch struct {
	c    *checkerState
	none bool // no state that exists satisfied a condition before: one of those that remain is satisfied
}

// branches begins a choice among conditions of which each state satisfies one.
func (c *checkerState) branches() branch { return branch{c, c.scopes.exists} }

// under follows what satisfies t, if anything may; last says that all other conditions came before.
func (b *branch) under(t string, last bool, follow func()) {
	c := b.c
	if c.failure != nil {
		return
	}
	c.push()
	defer c.pop()
	switch {
	case c.scopes.excluded(t):
		return
	case c.scopes.holds(t), last && b.none:
		b.none = false
		c.define(t)
	default:
		may, sure := c.satisfiable(t)
		if !may {
			return
		}
		b.none = false
		c.define(t)
		c.scopes.exists = sure
	}
	follow()
}

// assume restricts the path to what satisfies t, and says whether there may be a state on it still.
func (c *checkerState) assume(t string) bool {
	if c.scopes.holds(t) {
		return true
	}
	if c.scopes.excluded(t) {
		return false
	}
	c.define(t)
	may, sure := c.satisfiable("true")
	c.scopes.exists = sure
	return may
}

// possible says whether there is a state on this path that satisfies t too; if Z3 does not know, there may be.
func (c *checkerState) possible(t string) bool {
	if c.scopes.excluded(t) || c.failure != nil {
		return false
	}
	may, _ := c.satisfiable(t)
	return may
}

// satisfiable asks Z3: sure says that a state exists.
func (c *checkerState) satisfiable(t string) (may, sure bool) {
	c.Queries++
	c.text.WriteString("(push)\n")
	if t != "true" {
		c.text.WriteString("(assert " + t + ")\n")
	}
	c.text.WriteString("(check-sat)\n(pop)\n")
	out, err := c.z.Eval(c.ctx, c.text.String())
	c.text.Reset()
	if err != nil {
		c.failure = err
		if errors.Is(err, context.Canceled) {
			c.failure = c.ctx.Err()
		}
		return false, false
	}
	out = strings.TrimSpace(out)
	return out != "unsat", out == "sat"
}

// valid says whether t is sure to hold on this path.
func (c *checkerState) valid(t string) bool {
	if c.scopes.holds(t) {
		return true
	}
	if c.possible(not(t)) || c.failure != nil {
		return false
	}
	c.scopes.learn(t)
	return true
}
