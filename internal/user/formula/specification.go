package formula

import (
	"fmt"

	"assay/internal/temporal/ltl"
	"assay/internal/user/property"
	"assay/internal/user/propfile"
)

// Specification is the content of a property file.
type Specification struct {
	// Entry is the function named by init(), the same on every line.
	Entry string
	// Properties in the order of the file.
	Properties []property.Property
	// Label is the label that UnreachLabel is about, empty for ERROR.
	Label string
	// AssertEnds says that a formula names the error function: then a failed assertion ends a run, and violates nothing.
	AssertEnds bool
	// LTL is the formula that the property LTL is about.
	LTL *ltl.Source
	// Unsupported are the formulas that no engine decides yet, as written.
	Unsupported []string
}

// Specify reads the text of a property file: one `CHECK( init(main()), LTL(…) )` a line; path is for messages. The error is a
// *propfile.Error, or one of a formula.
func Specify(path, text string) (*Specification, error) {
	s := &Specification{}
	checks, wrong := propfile.Parse(text)
	if wrong != nil {
		return nil, wrong
	}
	for _, c := range checks {
		s.Entry = c.Entry
		names, label := c.Meaning()
		s.AssertEnds = s.AssertEnds || c.AssertEnds()
		if names == nil && c.Logic == "LTL" && c.Formula != "" {
			source, err := OfLine(path, text, c.Line)
			switch {
			case err != nil:
				return nil, err
			case source != nil && s.LTL != nil:
				return nil, &propfile.Error{Line: c.Line, Message: "two formulas of temporal logic: one at a time"}
			case source != nil:
				s.LTL, names = source, []string{string(property.LTL)}
			}
		}
		switch {
		case c.Formula == "":
			return nil, &propfile.Error{Line: c.Line, Message: "the formula is empty", Hint: "write for example LTL(G ! call(reach_error()))"}
		case label != "" && s.Label != "" && s.Label != label:
			return nil, &propfile.Error{Line: c.Line, Message: fmt.Sprintf("the label %s differs from %s above: one label at a time", label, s.Label)}
		case label != "":
			s.Label = label
		case names == nil:
			names = []string{string(property.Temporal)}
		}
		for _, name := range names {
			s.Properties = append(s.Properties, property.Property(name))
			if !property.Property(name).Decidable() {
				s.Unsupported = append(s.Unsupported, c.Formula)
			}
		}
	}
	return s, nil
}
