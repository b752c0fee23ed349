// Package bench runs `assay check` on tasks with known verdicts and compares
// the answers with them, with those of other tools, and with those of an
// earlier run.
//
// Every task runs in a process group of its own under limits of processor
// time, wall-clock time and memory, with a folder for temporary files of its
// own; no process and no file outlives its task.
package bench

import (
	"assay/internal/program/frontend"
	"path/filepath"
	"slices"
	"strings"
)

// Task is one question: a program, a property, and what is known about it.
type Task struct {
	// ID names the task in its table; together with Property it is unique.
	ID       string
	Set      string
	File     string   // as in the table, or the task definition below the folder of the table
	Paths    []string // the input files
	Property string
	// Spec is the property file of a task definition, empty in a table, where
	// Property says it all.
	Spec string
	// Expected is true, false, the violated part of a property, or unknown.
	Expected string
	// DataModel is ILP32, LP64, or empty for the default of check.
	DataModel string
	// Integers says that the label holds for unbounded integers only.
	Integers bool
	// Precondition is assumed at the start, where variables without initialiser are arbitrary; "" for none.
	Precondition string
	// Size of the program in its family (the set), 0 if it is in none.
	Size int
	// Unfit says why the task cannot be asked at all, as its definition tells.
	Unfit string
}

// Key identifies a task within a run.
type Key struct{ ID, Property string }

// Key of the task.
func (t Task) Key() Key { return Key{t.ID, t.Property} }

// supported maps the properties of tables to those of `assay check`.
var supported = map[string]string{
	"unreach-call":     "unreach-call",
	"unreach-label":    "unreach-label",
	"no-overflow":      "no-overflow",
	"div-by-zero":      "div-by-zero",
	"valid-deref":      "valid-deref",
	"valid-free":       "valid-free",
	"valid-memtrack":   "valid-memtrack",
	"valid-memsafety":  "valid-memsafety",
	"valid-memcleanup": "valid-memcleanup",
	"termination":      "termination",
	"ltl":              "ltl",
	"shift":            "shift",
	"undefined":        "undefined",
	"all":              "all",

	"float-cast-overflow": "float-cast-overflow",
	"unsigned-overflow":   "unsigned-overflow",
	"implicit-conversion": "implicit-conversion",
	"nan":                 "nan",
	"valid-init":          "valid-init",
	"complexity":          "complexity", // of `assay bound`
	"ctl":                 "ctl",
}

// formula is what the property is about, if it is a formula: ltl:<formula>.
func (t Task) formula() string {
	_, f, _ := strings.Cut(t.Property, ":")
	return f
}

// question is the property without what a formula or a variant adds to it.
func (t Task) question() string {
	name, _, _ := strings.Cut(t.Property, ":")
	return name
}

// skipReason says why a task cannot be run, "" if it can.
func (t Task) skipReason() string {
	switch {
	case t.Unfit != "":
		return t.Unfit
	case t.Spec == "" && supported[t.question()] == "":
		return "property " + t.question()
	case t.Integers && !slices.Contains([]string{"termination", "complexity", "ctl"}, t.question()):
		return "unbounded integers"
	}
	for _, p := range t.Paths {
		if !frontend.IsBinary(p) && !slices.Contains([]string{".c", ".i", ".ll", ".bc"}, filepath.Ext(p)) && !(t.question() == "complexity" && filepath.Ext(p) == ".koat") && !(t.question() == "ctl" && filepath.Ext(p) == ".t2") {
			return "input " + filepath.Ext(p)
		}
	}
	return ""
}

// correctness of an answer.
type correctness string

const (
	correct   correctness = "yes"
	wrong     correctness = "NO"
	undecided correctness = ""
	unjudged  correctness = "?" // decided, but no verdict is published
)

// isPart says that a label names the violated part of a property.
func isPart(expected string) bool {
	switch expected {
	case "true", "false", "unknown", "":
		return false
	}
	return true
}

// judge compares an answer (true, false(part), unknown, …) with the label.
func (t Task) judge(answer string) correctness {
	if decidedCost(answer) {
		return t.judgeCost(answer)
	}
	truth := strings.HasPrefix(answer, "true")
	falsity := strings.HasPrefix(answer, "false")
	switch {
	case !truth && !falsity:
		return undecided
	case t.Expected == "unknown" || t.Expected == "":
		return unjudged
	case truth && t.Expected == "true" || falsity && t.Expected == "false":
		return correct
	case isPart(t.Expected) && answer == "false("+t.Expected+")":
		return correct
	}
	// Another part than the published one is wrong, too: assay says which one
	// is violated first.
	return wrong
}

// judgeCost compares a class with the published one, which is known to be exact. A coarser one is
// no mistake, and not what is asked for either.
func (t Task) judgeCost(answer string) correctness {
	switch {
	case t.Expected == "unknown" || t.Expected == "":
		return unjudged
	case class(answer) == t.Expected || answer == t.Expected:
		return correct
	case class(answer) != "" && class(t.Expected) != "" && growth(class(answer)) > growth(class(t.Expected)):
		return undecided
	}
	return wrong
}
