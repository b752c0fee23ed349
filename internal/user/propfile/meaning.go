package propfile

import (
	"strings"

	"assay/internal/run/lazyregexp"
)

// meanings are the formulas that mean a property, without white space, with its name.
var meanings = map[string]string{
	"G!call(reach_error())":      "unreach-call",
	"G!call(__VERIFIER_error())": "unreach-call",
	"G!call(__assert_fail())":    "unreach-call",
	"G!overflow":                 "no-overflow",
	"Gvalid-free":                "valid-free",
	"Gvalid-deref":               "valid-deref",
	"Gvalid-memtrack":            "valid-memtrack",
	"Gvalid-memcleanup":          "valid-memcleanup",
	"Gvalid-memsafety":           "valid-memsafety",
	"Fend":                       "termination",
	"G!data-race":                "no-data-race",
}

// labelFormula is unreach-label, without white space.
var labelFormula = lazyregexp.New(`^G!label\(([A-Za-z_]\w*)\)$`)

// Meaning are the names of the properties that the formula means, nil if it is
// none of the usual ones; label is the one that unreach-label is about.
func (c *Check) Meaning() (names []string, label string) {
	if c.Logic != "LTL" {
		return nil, ""
	}
	key := strings.Join(strings.Fields(c.Formula), "")
	if name, ok := meanings[key]; ok {
		return []string{name}, ""
	}
	if m := labelFormula.FindStringSubmatch(key); m != nil {
		return []string{"unreach-label"}, m[1]
	}
	return nil, ""
}

// AssertEnds says that the formula is about an error function of the competition: a failed assert elsewhere
// ends the run like abort, and violates nothing.
func (c *Check) AssertEnds() bool {
	key := strings.Join(strings.Fields(c.Formula), "")
	return c.Logic == "LTL" && (key == "G!call(reach_error())" || key == "G!call(__VERIFIER_error())")
}
