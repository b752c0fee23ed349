package bound

import (
	"context"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file has certificates of upper bounds: claims, each with a rule by which it follows
// from claims before it and from local facts of single blocks, which are formulas without
// quantifiers. The kinds of claims are those of [BEFFG16, Sec. 3]: how often something
// happens, and how great something gets. Departures: sizes have a sign and belong to
// linear forms instead of single variables; ranking functions may increase by amounts that
// are charged to the steps that increase them.

// Certificate shows that the cost of every run is at most Bound.
type Certificate struct {
	Nodes  []Node // the first is the start
	Blocks []Block
	Claims []Claim
	Costs  []Charge // of each block, its cost
	Bound  Expression
}

// Node is a cutpoint with an invariant. A run that is at a location of nodes other than the
// start is at one of them.
type Node struct {
	Location its.Location
	Region   []linear.Constraint // over the variables; of the start none
}

// Block is a path of transitions between two nodes that visits none in between.
type Block struct {
	From, To int
	Path     []int // of the system's transitions
}

// Charge says that something takes, each time the block is executed, at most the greatest
// of the amounts, and nothing if that is negative. Runs is a claim that counts the block.
type Charge struct {
	Block   int
	Runs    int
	Amounts []Amount
}

// Amount is a form over the state where the block begins, plus products. The form is at most what
// the claim Size says. Where the form is constant, there is no claim.
type Amount struct {
	Form     linear.Form
	Size     int
	Products []Product
}

// Product is Coef·A·B. Sizes are claims about A, -A, B and -B, which are not looked at where the
// forms are constant.
type Product struct {
	Coef  linear.Number
	A, B  linear.Form
	Sizes [4]int
}

// Forms are those that Sizes are about.
func (p Product) Forms() [4]linear.Form { return [4]linear.Form{p.A, p.A.Neg(), p.B, p.B.Neg()} }

// Most is the greatest value of the product if the forms are at most these.
func (p Product) Most(limits [4]Expression) Expression {
	if p.A.Equal(p.B) && p.Coef.Sign() < 0 {
		return Expression{}
	}
	return Max(limits[0], limits[1]).Mul(Max(limits[2], limits[3])).Scale(p.Coef.Abs())
}

// Constant is the amount if it is a number.
func (a Amount) Constant() (linear.Number, bool) {
	return a.Form.Const, a.Form.IsConstant() && len(a.Products) == 0
}

// Claim is Runs or Size.
type Claim interface {
	isClaim()
	// Limit is the expression that the claim is about.
	Limit() Expression
}

// Runs claims that in each run the blocks are executed at most Bound times, all together.
type Runs struct {
	Blocks []int
	Bound  Expression
	Rule   RunsRule
}

// Size claims that, whenever the block is executed, the form is at most Bound before.
type Size struct {
	Block int
	Form  linear.Form
	Bound Expression
	Rule  SizeRule
}

func (Runs) isClaim()            {}
func (Size) isClaim()            {}
func (c Runs) Limit() Expression { return c.Bound }
func (c Size) Limit() Expression { return c.Bound }

// RunsRule is Acyclic, Inflow, Ranked, Halved or Closed.
type RunsRule interface{ isRunsRule() }

// Acyclic: behind none of the blocks any of them can be executed, so one of them is, once, or none.
type Acyclic struct{}

// Inflow: the one block is no loop, and not executed more often than the blocks that lead
// to where it begins; Entries are those, with the amount 1.
type Inflow struct{ Entries []Charge }

// Ranked: the level of a node is a form f, or forms f_1 ... f_d. On the blocks of the claim
// it decreases: f >= 1 and f(x') <= f(x) - 1, or for d > 1 the conditions of its.Level. On those
// of Inside it does not increase; on those of Increments, at d = 1 only, by at
// most what they are charged. All others that lead to a node with a level are Entries: f_k(x')
// is at most the k-th amount.
type Ranked struct {
	Levels     []NodeLevel
	Inside     []int
	Increments []Charge
	Entries    []Charge
}

// NodeLevel is the level of a node.
type NodeLevel struct {
	Node  int
	Level its.Level
}

// Halved: the level of a node is a form f. On the blocks of the claim f >= 1 and 2·f(x') <= f(x); on those of Inside
// f(x') <= f(x). All others that lead to a node with a level are Entries: f(x') is at most the one amount.
type Halved struct {
	Levels  []NodeLevel
	Inside  []int
	Entries []Charge
}

func (Halved) isRunsRule()  {}
func (Acyclic) isRunsRule() {}
func (Inflow) isRunsRule()  {}
func (Ranked) isRunsRule()  {}

// SizeRule is Limited, Initial, Dominated, Sum, Potential or Iterated.
type SizeRule interface{ isSizeRule() }

// Limited: where the block is executed, the form is at most the bound, a constant.
type Limited struct{}

// Initial: the block leaves the start, where the form has its initial value.
type Initial struct{}

// Dominated: where the block is executed, the form is at most the amount.
type Dominated struct{ By Amount }

// Sum: the form is a sum of positive multiples of forms, and a constant.
type Sum struct{ Parts []Part }

// Part is a form of a sum, which a claim about the same block bounds, with its coefficient.
type Part struct {
	Coef linear.Number
	Size int
}

// Potential: there are forms for some nodes, the one for the node where the block begins
// is that of the claim. Every block that leads to one of the nodes has a step.
type Potential struct {
	Forms []NodeForm
	Steps []Step
}

// NodeForm is the form of a node.
type NodeForm struct {
	Node int
	Form linear.Form
}

// Step is Reset, Increase or Growth.
type Step interface{ isStep() }

// Reset: the form after the block is at most the amount.
type Reset struct {
	Block int
	To    Amount
}

// Increase: the form after the block is at most that before plus the amount that is charged
// (plus nothing if that is negative). Where all amounts are constants that are not positive, Runs is not looked at.
type Increase struct{ By Charge }

// Growth: the form after the block is at most Factor times that before or 0, plus what is
// charged. The factor is an integer that is at least 2.
type Growth struct {
	Factor linear.Number
	By     Charge
}

func (Limited) isSizeRule()   {}
func (Initial) isSizeRule()   {}
func (Dominated) isSizeRule() {}
func (Sum) isSizeRule()       {}
func (Potential) isSizeRule() {}

func (Reset) isStep()    {}
func (Increase) isStep() {}
func (Growth) isStep()   {}

// MultiphaseRuns is how often, at most, a level of d forms decreases that is at most m, an
// expression that is never negative, where it is entered.
//
// By induction, f_i is at most m·(C(k,0) + ... + C(k,i-1)) - C(k,i) after k decreases. Where
// f_d is not negative, C(k,d) <= m·d·C(k,d-1) if k >= 2d, so k <= d²·m + d - 1.
func MultiphaseRuns(d int, m Expression) Expression {
	return m.Scale(linear.Int(int64(d * d))).Add(Int(int64(2 * d)))
}

// HalvedRuns is how often, at most, a level is halved that is at most m where it is entered: it is at least 1 each time.
func HalvedRuns(m Expression) Expression { return Log(m).Add(Int(1)) }

// Accept is a checker of certificates. An *its.Rejected says why it is none, other errors that
// this could not be decided.
type Accept func(ctx context.Context, s *its.System, c *Certificate) error
