package conductor

import (
	"fmt"
	"slices"
	"strings"
)

// Domains are the values of Options.Domains [2LS §3].
var Domains = []string{"intervals", "zones", "octagons", "equalities", "polyhedra"}

// Misuse says what is wrong with options that contradict each other or the question, and what to do; empty if they make
// sense.
func Misuse(o Options, q Question) (message, hint string) {
	for _, d := range o.Domains {
		if !slices.Contains(Domains, d) {
			return fmt.Sprintf("unknown domain %q", d), "domains: " + strings.Join(Domains, ", ")
		}
	}
	for _, r := range o.Rows {
		if err := ParseRow(r); err != nil {
			return err.Error(), "a row is a sum of variables of the loop with integer coefficients"
		}
	}
	if o.Havoc && (len(o.Domains) > 0 || len(o.Rows) > 0) {
		return "--havoc means that there are no invariants, but a domain is given", "leave out one of them"
	}
	if (o.chosen() || o.KInduction) && o.Only == "bmc" {
		return "bounded search alone uses no invariants and no induction", "leave out --incremental-bmc, or the domains and --k-induction"
	}
	if o.Heap || o.ValuesRefine {
		switch {
		case o.chosen():
			return "--heap and --values-refine choose what is said of values themselves, but a domain is given", "leave out the domains, --rows and --havoc"
		case o.Only != "":
			return "--heap and --values-refine choose the engines, but --engine is given", "leave out one of them"
		case o.EachCheck:
			return "--heap and --values-refine decide all checks together", "leave out --all"
		case q != Safety:
			return "--heap and --values-refine are for safety", "leave them out: for termination the shapes of lists are among what is tried"
		}
	}
	return "", ""
}
