package property

import (
	"slices"
	"strings"

	"assay/internal/user/propfile"
)

// This file writes properties as the specifications of witnesses, and reads those of other tools.

// formulas are the properties in the terms of the competition.
var formulas = map[Property]string{
	UnreachCall: "G ! call(reach_error())", NoOverflow: "G ! overflow", ValidFree: "G valid-free", ValidDeref: "G valid-deref",
	ValidMemTrack: "G valid-memtrack", ValidCleanup: "G valid-memcleanup", Termination: "F end",
}

// parts are the properties that a property is together.
func parts(p Property) []Property {
	switch p {
	case ValidMemSafety:
		return []Property{ValidFree, ValidDeref, ValidMemTrack}
	case NoShiftLoss, ShiftWraps:
		return []Property{NoOverflow}
	}
	return []Property{p}
}

// Specification is the text of properties in a witness: the formula of one, or a line CHECK( … ) for each.
func Specification(ps []Property, label, entry string) string {
	var out []string
	for _, p := range ps {
		for _, q := range parts(p) {
			text := formulas[q]
			switch {
			case q == UnreachLabel && label == "":
				text = "G ! label(ERROR)"
			case q == UnreachLabel:
				text = "G ! label(" + label + ")"
			case text == "":
				text = "G ! " + string(q)
			}
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	if len(out) == 1 && entry == "" {
		return out[0]
	}
	if entry == "" {
		entry = "main"
	}
	for i := range out {
		out[i] = "CHECK( init(" + entry + "()), LTL(" + out[i] + ") )"
	}
	return strings.Join(out, "\n")
}

// Specified is what a specification means.
type Specified struct {
	Properties []Property
	Label      string
	Entry      string // empty is main
}

// OfSpecification reads the text of a specification; of one that is not known there are no properties.
func OfSpecification(text string) Specified {
	var checks []propfile.Check
	// Several lines may have become one.
	text = strings.ReplaceAll(strings.TrimSpace(text), " CHECK", "\nCHECK")
	if strings.HasPrefix(text, "CHECK") {
		parsed, wrong := propfile.Parse(text)
		if wrong != nil {
			return Specified{}
		}
		checks = parsed
	} else {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				checks = append(checks, propfile.Check{Logic: "LTL", Formula: line})
			}
		}
	}
	var out Specified
	for _, c := range checks {
		names, label := c.Meaning()
		if rest, ok := strings.CutPrefix(strings.Join(strings.Fields(c.Formula), ""), "G!"); names == nil && ok && Property(rest).Decidable() {
			names = []string{rest}
		}
		if names == nil {
			return Specified{}
		}
		for _, n := range names {
			if !slices.Contains(out.Properties, Property(n)) {
				out.Properties = append(out.Properties, Property(n))
			}
		}
		if label != "" {
			out.Label = label
		}
		if c.Entry != "" && c.Entry != "main" {
			out.Entry = c.Entry
		}
	}
	return out
}

// Covers says whether a property is among others, or among the parts of one.
func Covers(ps []Property, p Property) bool {
	return len(Within([]Property{p}, Kinds(ps...))) > 0 || slices.ContainsFunc(ps, func(q Property) bool { return q == p || slices.Contains(parts(q), p) || slices.Contains(parts(p), q) })
}
