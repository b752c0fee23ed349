package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"assay"
	"assay/internal/integers/branching"
	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/integers/region"
	"assay/internal/temporal/ctl"
)

// ctlAnswer is an answer about a formula of computation tree logic; the fields with a name in JSON are the
// output of --json.
type ctlAnswer struct {
	Result  string      `json:"result"` // true, false(ctl) or unknown
	Reasons []ctlReason `json:"reasons,omitempty"`
	// Replaced are conditions and assignments with products for which linear ones were looked at.
	Replaced []equations.Replaced `json:"replaced,omitempty"`
	// Shown are the parts of a proof of the formula, or of its negation if it is false.
	Shown []ctlPart `json:"shown,omitempty"`

	f     *itsFlags
	known region.Region
	s     *its.System
	proof *branching.Proof
	// before are the steps before observation begins.
	before int
	code   int
}

type ctlReason struct {
	Cause string `json:"cause"`
	Text  string `json:"text"`
}

// ctlPart is shown of all initial states, or of one, which is given. Observation begins Steps later: then, and not before, the claim
// is made.
type ctlPart struct {
	Of    string            `json:"of"` // all or one
	State map[string]string `json:"state,omitempty"`
	Steps int               `json:"steps,omitempty"`
	Claim ctlClaim          `json:"claim"`
}

// ctlClaim says where a subformula is true, by location, and what decreases for AF and AU.
type ctlClaim struct {
	Formula  string      `json:"formula"`
	Where    []ctlStates `json:"where,omitempty"`
	Descents []string    `json:"descents,omitempty"`
	Below    []ctlClaim  `json:"below,omitempty"`
}

type ctlStates struct {
	At     string `json:"at"`
	States string `json:"states"`
}

// write prints the answer in the form that was asked for.
func (a *ctlAnswer) write(w io.Writer) error {
	if a.proof != nil && (!a.f.quiet || a.f.tree != "") {
		for _, p := range a.proof.Parts {
			a.Shown = append(a.Shown, a.part(&p))
		}
	}
	if a.f.tree != "" && a.proof != nil {
		if err := a.draw(); err != nil {
			return err
		}
	}
	if a.f.quiet {
		a.Shown = nil
	}
	text := a.text()
	if a.f.json {
		line, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		text = string(line) + "\n"
	}
	if _, err := io.WriteString(w, text); err != nil {
		return &assay.EnvironmentError{Doing: "writing the answer", Err: err}
	}
	return exit(a.code)
}

func (a *ctlAnswer) text() string {
	var b strings.Builder
	switch a.code {
	case exitTrue:
		b.WriteString("the formula is true\n")
	case exitFalse:
		b.WriteString("the formula is false: this is true instead\n")
	}
	for _, r := range a.Reasons {
		fmt.Fprintf(&b, "no answer: %s\n", r.Text)
	}
	for _, x := range a.Replaced {
		if a.f.quiet {
			break
		}
		b.WriteString(x.String() + "\n")
	}
	for _, p := range a.Shown {
		b.WriteString(a.where(&p) + "\n")
		p.Claim.write(&b, "")
	}
	fmt.Fprintf(&b, "RESULT: %s\n", a.Result)
	return b.String()
}

// where says of which states a part is.
func (a *ctlAnswer) where(p *ctlPart) string {
	text := "in all initial states"
	if p.Of == "one" {
		var values []string
		for _, name := range a.s.Variables {
			values = append(values, name+" = "+p.State[name])
		}
		text = "in the initial state " + strings.Join(values, ", ")
	}
	switch {
	case p.Steps == 1:
		text += ", behind the step that gives variables their values"
	case p.Steps > 1:
		text += fmt.Sprintf(", behind the %d steps that give variables their values", p.Steps)
	}
	return text
}

// write prints the tree of what was proved: the states in which each subformula holds, by location.
func (c *ctlClaim) write(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%s%s\n", indent, c.Formula)
	for _, x := range c.Where {
		fmt.Fprintf(b, "%s  at %s where %s\n", indent, x.At, x.States)
	}
	for _, d := range c.Descents {
		fmt.Fprintf(b, "%s  %s\n", indent, d)
	}
	for i := range c.Below {
		c.Below[i].write(b, indent+"  ")
	}
}

func (a *ctlAnswer) part(p *branching.Part) ctlPart {
	c := p.Claim
	for range a.before { // the steps before observation begins say nothing
		c = c.Below[0]
	}
	out := ctlPart{Of: "one", Claim: a.claim(c), Steps: a.before}
	if p.Of == ctl.All {
		out.Of = "all"
		return out
	}
	out.State = map[string]string{}
	for v, n := range p.State {
		out.State[a.s.Variables[v]] = n.String()
	}
	return out
}

func (a *ctlAnswer) claim(c *branching.Claim) ctlClaim {
	out := ctlClaim{Formula: fmt.Sprint(c.Formula)}
	for l, r := range c.Holds {
		if !r.IsEmpty() {
			out.Where = append(out.Where, ctlStates{a.s.Locations[l], inC(r.Format(a.s.VarName, a.known))})
		}
	}
	for _, d := range c.Descents {
		for line := range strings.SplitSeq(strings.TrimSpace(d.Argument.Format(withBegin(a.s))), "\n") {
			if !strings.Contains(line, "where 0 >= 1:") { // nowhere
				out.Descents = append(out.Descents, inC(line))
			}
		}
	}
	for _, below := range c.Below {
		if _, constant := below.Formula.(ctl.Constant); !constant {
			out.Below = append(out.Below, a.claim(below))
		}
	}
	return out
}

// inC is a condition with the equality of C.
func inC(text string) string { return strings.ReplaceAll(text, " = ", " == ") }

// withBegin is the system with the location where descents begin.
func withBegin(s *its.System) *its.System {
	c := s.Clone()
	c.AddLocation("begin")
	return c
}
