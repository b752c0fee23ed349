package branching

import (
	"assay/internal/integers/its"
	"assay/internal/temporal/ctl"
)

// Observed marks the variables on which atoms depend. The error is that of Problem.Atom.
func (p *Problem) Observed() ([]bool, error) {
	out := make([]bool, len(p.System.Variables))
	var visit func(f ctl.Formula) error
	visit = func(f ctl.Formula) error {
		if a, ok := f.(ctl.Atom); ok {
			for l := range p.System.Locations {
				r, err := p.Atom(its.Location(l), a)
				if err != nil {
					return err
				}
				for _, q := range r {
					for _, c := range q.Constraints() {
						for _, t := range c.Form.Terms {
							out[t.Var] = true
						}
					}
				}
			}
		}
		for _, g := range ctl.Children(f) {
			if err := visit(g); err != nil {
				return err
			}
		}
		return nil
	}
	return out, visit(p.Formula)
}
