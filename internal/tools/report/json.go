package report

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"

	"assay"
)

// writeJSON writes one JSON object. Its fields come in a fixed order, the
// trace last, a step at a time.
func writeJSON(ctx context.Context, w *bufio.Writer, r *assay.Result, o Options) error {
	j := &object{w: w}
	j.field("tool", assay.Name)
	j.field("version", assay.Version())
	j.field("files", nonNil(r.Files))
	j.field("properties", nonNil(r.Properties))
	if r.Formula != "" {
		j.field("formula", r.Formula)
	}
	if r.Subformulas != nil {
		j.field("subformulas", r.Subformulas)
	}
	j.field("result", r.Line())
	j.field("verdict", r.Answer)
	if r.Answer == assay.False {
		j.field("violated_property", r.Violated)
		j.field("violation", r.Violation)
		if r.Endless != nil {
			j.field("endless", r.Endless)
		}
		j.field("undefined_behaviour_on_the_way", nonNil(r.Passes))
		j.field("replayed", nonNil(r.Replayed))
		if len(r.Jumps) > 0 {
			j.field("jumps", r.Jumps)
		}
		if r.Native != "" {
			j.field("native_replay", r.Native)
		}
	}
	if len(r.TerminatesWhen) > 0 {
		j.field("terminates_when", r.TerminatesWhen)
	}
	if r.Integer != "" {
		j.field("integer_program", r.Integer)
	}
	if r.Certificate != nil {
		j.field("certificate", r.Certificate)
		j.field("undefined_behaviour_not_excluded", nonNil(r.Unclean))
	}
	if len(r.Contracts) > 0 {
		j.field("contracts_kept", r.Contracts)
	}
	if r.KeepsNot != "" && r.Answer == assay.False {
		j.field("contract_not_kept", r.KeepsNot)
	}
	if r.Invariants != nil {
		j.field("invariants", r.Invariants)
	}
	if r.Answer == assay.Unknown {
		j.field("reasons", nonNil(r.Reasons))
	}
	if r.Checks != nil {
		j.field("checks", r.Checks)
	}
	if len(r.Warnings) > 0 {
		j.field("warnings", r.Warnings)
	}
	j.field("assumptions", nonNil(r.Assumptions))
	j.field("stats", r.Stats)
	j.field("seconds", r.Stats.Total.Seconds())
	if r.Answer == assay.False && !o.Quiet && r.Integer == "" {
		j.trace(ctx, r)
	}
	fmt.Fprint(w, "\n}\n")
	return j.err
}

// nonNil makes an absent list an empty one, which is [] in JSON.
func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// object writes the fields of a JSON object one after the other.
type object struct {
	w     *bufio.Writer
	begun bool
	err   error
}

// key starts a field.
func (j *object) key(name string) {
	separator := ",\n"
	if !j.begun {
		separator, j.begun = "{\n", true
	}
	fmt.Fprintf(j.w, "%s  %q: ", separator, name)
}

// field writes a whole field.
func (j *object) field(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		j.err = fmt.Errorf("writing field %s: %w", name, err)
		return
	}
	j.key(name)
	j.w.Write(data)
}

// trace writes the steps of the trace as they come.
func (j *object) trace(ctx context.Context, r *assay.Result) {
	j.key("trace")
	separator := "["
	err := r.Trace(ctx, func(s assay.Step) error {
		data, err := json.Marshal(s)
		if err != nil {
			return err
		}
		fmt.Fprintf(j.w, "%s\n    %s", separator, data)
		separator = ","
		return nil
	})
	if separator == "[" {
		fmt.Fprint(j.w, separator)
	}
	fmt.Fprint(j.w, "\n  ]")
	if err != nil {
		j.field("trace_incomplete", err.Error())
	}
}
