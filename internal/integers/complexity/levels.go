package complexity

import (
	"slices"

	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file finds levels by Farkas' lemma, as package ranking does [PodelskiRybalchenko04,
// ADFG10, LeikeHeizmann15], with one difference: on blocks that are bounded already a form may
// increase by a constant. It also finds the forms of potentials.

// template has unknown forms for nodes, of a depth.
type template struct {
	a     *analysis
	f     linear.Farkas
	depth int
	coef  map[int][][]linear.Var // by node and depth: relevant variables, constant
}

func (a *analysis) template(nodes []int, depth int) *template {
	t := &template{a: a, f: linear.Farkas{Simplex: linear.NewSimplex(a.ctx)}, depth: depth, coef: map[int][][]linear.Var{}}
	for _, u := range nodes {
		for range depth {
			vars := make([]linear.Var, len(a.relevant)+1)
			for i := range vars {
				vars[i] = t.f.NewVar()
			}
			t.coef[u] = append(t.coef[u], vars)
		}
	}
	return t
}

func scaled(v linear.Var, k int64) linear.Form {
	return linear.Form{Terms: []linear.Term{{Var: v, Coef: linear.Int(k)}}}
}

var unit = linear.Constant(linear.Int(1))

// before adds k·f_d of the node, and after its value behind block b.
func (t *template) before(q *linear.Parametric, u, d int, k int64) {
	vars := t.coef[u][d]
	for i, v := range t.a.relevant {
		q.Add(scaled(vars[i], k), linear.Variable(v))
	}
	q.Add(scaled(vars[len(vars)-1], k), unit)
}

func (t *template) after(q *linear.Parametric, b, d int, k int64) {
	vars := t.coef[t.a.blocks[b].to][d]
	for i, v := range t.a.relevant {
		q.Add(scaled(vars[i], k), t.a.blocks[b].update[v])
	}
	q.Add(scaled(vars[len(vars)-1], k), unit)
}

// change requires f_d(x) - f_d(x') + more >= 0 on block b.
func (t *template) change(b, d int, more linear.Form) {
	var q linear.Parametric
	t.before(&q, t.a.blocks[b].from, d, 1)
	t.after(&q, b, d, -1)
	q.Add(more, unit)
	t.f.Require(t.a.blocks[b].known, q)
}

// atLeast requires f_d(x) - n >= 0 on block b.
func (t *template) atLeast(b, d int, n linear.Form) {
	var q linear.Parametric
	t.before(&q, t.a.blocks[b].from, d, 1)
	q.Add(n.Neg(), unit)
	t.f.Require(t.a.blocks[b].known, q)
}

// decrease requires what bound.Ranked demands of blocks on which a level decreases.
func (t *template) decrease(b int) {
	if t.depth == 1 {
		t.atLeast(b, 0, unit)
	} else {
		t.atLeast(b, t.depth-1, linear.Form{})
	}
	for d := range t.depth {
		var q linear.Parametric
		t.before(&q, t.a.blocks[b].from, d, 1)
		t.after(&q, b, d, -1)
		if d > 0 {
			t.before(&q, t.a.blocks[b].from, d-1, 1)
		}
		q.Add(unit.Neg(), unit)
		t.f.Require(t.a.blocks[b].known, q)
	}
}

// level reads the forms of a solution, multiplied by a factor.
func (t *template) level(factor linear.Number) map[int]its.Level {
	out := map[int]its.Level{}
	for u, ds := range t.coef {
		for _, vars := range ds {
			terms := make([]linear.Term, 0, len(vars))
			for i, v := range t.a.relevant {
				terms = append(terms, linear.Term{Var: v, Coef: t.f.Value(vars[i]).Mul(factor)})
			}
			out[u] = append(out[u], linear.NewForm(t.f.Value(vars[len(vars)-1]).Mul(factor), terms...))
		}
	}
	return out
}

// ends are the nodes at the ends of blocks.
func (a *analysis) ends(blocks ...[]int) (out []int) {
	for _, bs := range blocks {
		for _, b := range bs {
			for _, u := range []int{a.blocks[b].from, a.blocks[b].to} {
				if !slices.Contains(out, u) {
					out = append(out, u)
				}
			}
		}
	}
	return out
}

// question asks for a level: it decreases on some of the blocks of which no bound is known, does
// not increase on the others of them and on those that are kept, and increases by constants on
// those that are charged.
type question struct {
	open, kept, charged []int
}

// increments gives each charged block an unknown by which the level may increase.
func (t *template) increments(q question) (sum linear.Form) {
	for _, b := range q.charged {
		v := t.f.NewVar()
		t.f.AssertLower(v, linear.Number{}, 0)
		t.change(b, 0, linear.Variable(v))
		sum = sum.Add(linear.Variable(v))
	}
	return sum
}

// together looks for a level that is bounded on all open blocks and decreases on as
// many as possible.
func (a *analysis) together(q question) map[int]its.Level {
	t := a.template(a.ends(q.open, q.kept, q.charged), 1)
	var objective linear.Form
	var deltas []linear.Var
	for _, b := range q.open {
		d := t.f.NewVar()
		deltas = append(deltas, d)
		t.f.AssertLower(d, linear.Number{}, 0)
		t.f.AssertUpper(d, linear.Int(1), 0)
		objective = objective.AddScaled(linear.Int(1000), linear.Variable(d))
		t.change(b, 0, linear.Variable(d).Neg())
		t.atLeast(b, 0, linear.Variable(d))
	}
	for _, b := range q.kept {
		t.change(b, 0, linear.Form{})
	}
	objective = objective.Sub(t.increments(q))
	if _, st := t.f.Solve(objective); st != linear.Feasible {
		return nil
	}
	factor := linear.Number{}
	for _, d := range deltas {
		if v := t.f.Value(d); v.Sign() > 0 && (factor.IsZero() || v.Inv().Cmp(factor) > 0) {
			factor = v.Inv()
		}
	}
	if factor.IsZero() {
		return nil
	}
	return t.level(factor)
}

// one looks for a level that decreases on one open block.
func (a *analysis) one(q question, chosen, depth int) map[int]its.Level {
	t := a.template(a.ends(q.open, q.kept, q.charged), depth)
	for _, bs := range [][]int{q.open, q.kept} {
		for _, b := range bs {
			if b == chosen {
				t.decrease(b)
				continue
			}
			for d := range depth {
				t.change(b, d, linear.Form{})
			}
		}
	}
	var objective linear.Form
	if depth == 1 {
		objective = t.increments(q).Neg()
	} else {
		for _, b := range q.charged {
			for d := range depth {
				t.change(b, d, linear.Form{})
			}
		}
	}
	if _, st := t.f.Solve(objective); st != linear.Feasible {
		return nil
	}
	return t.level(linear.Int(1))
}

// all looks for a level of several forms that decreases on all open blocks.
func (a *analysis) all(q question, depth int) map[int]its.Level {
	t := a.template(a.ends(q.open, q.kept, q.charged), depth)
	for _, b := range q.open {
		t.decrease(b)
	}
	for _, bs := range [][]int{q.kept, q.charged} {
		for _, b := range bs {
			for d := range depth {
				t.change(b, d, linear.Form{})
			}
		}
	}
	if _, st := t.f.Solve(linear.Form{}); st != linear.Feasible {
		return nil
	}
	return t.level(linear.Int(1))
}

// weight is what an increase by 1 on a block costs, roughly.
func (a *analysis) weight(b int) linear.Number {
	if a.runs[b] < 0 {
		return linear.Int(1 << 40)
	}
	c := a.claims[a.runs[b]].Limit().Class()
	if c.Exponential {
		return linear.Int(1 << 40)
	}
	w := linear.Int(1)
	for range min(c.Degree, 8) {
		w = w.Mul(linear.Int(64))
	}
	return w
}

// potentialForms are forms for the nodes of a component, g at one of them, that do not
// increase on blocks without bound and increase by little on the others; nil if there are none.
func (a *analysis) potentialForms(at int, g linear.Form, nodes []int) []bound.NodeForm {
	t := a.template(nodes, 1)
	vars := t.coef[at][0]
	fix := func(v linear.Var, n linear.Number) {
		t.f.AssertLower(v, n, 0)
		t.f.AssertUpper(v, n, 0)
	}
	for _, m := range g.Terms {
		if !slices.Contains(a.relevant, m.Var) {
			return nil
		}
	}
	for i, v := range a.relevant {
		fix(vars[i], g.Coef(v))
	}
	fix(vars[len(vars)-1], g.Const)
	var objective linear.Form
	for i, b := range a.blocks {
		if t.coef[b.from] == nil || t.coef[b.to] == nil {
			continue
		}
		if a.runs[i] < 0 {
			t.change(i, 0, linear.Form{})
			continue
		}
		v := t.f.NewVar()
		t.f.AssertLower(v, linear.Number{}, 0)
		t.change(i, 0, linear.Variable(v))
		objective = objective.AddScaled(a.weight(i).Neg(), linear.Variable(v))
	}
	if _, st := t.f.Solve(objective); st != linear.Feasible {
		return nil
	}
	level := t.level(linear.Int(1))
	var out []bound.NodeForm
	for _, u := range nodes {
		out = append(out, bound.NodeForm{Node: u, Form: level[u][0]})
	}
	return out
}
