package frontend

import (
	"slices"
	"strings"

	"assay/internal/program/harness"
)

// start says what the options assume of the state in which the runs of a program start.
func (o *Options) start(p *Program) (assumed []harness.Fact) {
	assume := func(text string) { assumed = append(assumed, harness.Fact{Text: text}) }
	if o.Obligation {
		return nil // it is of every caller
	}
	plan := p.Harness
	if plan != nil {
		assume("runs start in " + plan.Function + " with a harness that was inferred (callers that do otherwise are not covered)")
		assumed = append(assumed, plan.Facts()...)
		if !o.HavocGlobals {
			assume("globals hold their initial values when " + o.Function + " is called (--havoc-globals makes them arbitrary)")
		}
	} else if o.Harness.Infer && o.entry() == "main" {
		assume("main gets the name of the program, argc >= 1")
	} else if o.Function != "" {
		text := "runs start in " + o.Function + " with arbitrary arguments; a pointer is null or points to a fresh object of one element (with --array, of as many as it says)"
		switch {
		case slices.Contains(o.NonNull, AllPointers):
			text = strings.Replace(text, "is null or points", "points", 1)
		case len(o.NonNull) > 0:
			text += "; not null: " + strings.Join(o.NonNull, ", ")
		}
		assume(text)
		for _, key := range p.Pointing {
			assume(key + " is not null, about which nothing in the program asks (--nullable " + key + " allows it)")
		}
		if !o.HavocGlobals {
			assume("globals hold their initial values when " + o.Function + " is called (--havoc-globals makes them arbitrary)")
		}
	}
	if o.HavocGlobals {
		assume("globals hold arbitrary values at the start")
	}
	if o.HavocUninitialised {
		assume("globals without initialiser that are not static hold arbitrary values at the start (--havoc-uninitialised)")
	}
	if o.Assumed != "" {
		assume("in the first state of " + o.entry() + " holds " + o.Assumed + " (--assume)")
	}
	return assumed
}
