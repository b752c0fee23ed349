package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay"
)

// This file asks once more about a violation that starts in a function with arbitrary arguments (--function without a
// word about its parameters): many functions are not made for null pointers and objects of one element. Where arguments that
// a person would pass (--nonnull) do not lead there, the violation needs a precondition, and the answer says so.

// usualLimit bounds the second question.
const usualLimit = 3 * time.Second

// isUsualAsked says whether a violation is asked about once more.
func (f *checkFlags) isUsualAsked(r *assay.Result) bool {
	p := &f.task.Program
	plain := p.Function != "" && !p.Harness.Infer && f.harness == "plain" && len(p.Pointers)+len(p.NonNull)+len(p.Nullable) == 0
	return plain && r.Answer == assay.False && !f.task.Engine.EachCheck && f.binary == "" && !slices.ContainsFunc(f.task.Properties, func(q assay.Property) bool {
		return q == assay.Termination || q == assay.LTL
	})
}

// usual adds to the warnings of a result what arguments that a person would pass lead to.
func (f *checkFlags) usual(ctx context.Context, r *assay.Result) {
	if !f.isUsualAsked(r) {
		return
	}
	t := assay.Task{Files: f.task.Files, Properties: []assay.Property{r.Violated}, Label: f.task.Label, Program: f.task.Program, Engine: f.task.Engine, Timeout: usualLimit}
	t.Program.Harness = assay.Harness{Infer: true, Generous: true}
	t.Engine.Uncertified, t.Engine.NativeReplay, t.Engine.Precondition = false, false, false
	if left := f.task.Timeout; left > 0 {
		t.Timeout = min(t.Timeout, left)
	}
	again, err := assay.Check(ctx, t)
	if err != nil || again.Answer == assay.False {
		return
	}
	var arguments []string
	for _, a := range again.Assumptions {
		if a.Start != nil && a.Start.Pointer != nil && !a.Start.Part() {
			arguments = append(arguments, a.Text)
		}
	}
	if len(arguments) == 0 {
		return
	}
	known := "no violation of " + string(r.Violated) + " was found"
	if again.Answer == assay.True {
		known = string(r.Violated) + " is proved"
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf("needs a precondition: with arguments as a person would pass them (--nonnull), %s: %s", known, strings.Join(arguments, "; ")))
}
