package assay

import (
	"fmt"
	"os"

	"assay/internal/user/formula"
	"assay/internal/user/property"
	"assay/internal/user/propfile"
)

// Specification is the content of a property file.
type Specification struct {
	// Entry is the function named by init(), the same on every line.
	Entry string
	// Properties in the order of the file.
	Properties []Property
	// Label is the label that UnreachLabel is about, empty for ERROR.
	Label string
	// AssertEnds is Program.AssertEnds: a formula names the error function.
	AssertEnds bool
	// LTL is the formula that the property LTL is about.
	LTL *Formula
	// Unsupported are the formulas that no engine decides yet, as written.
	Unsupported []string
}

// ReadPropertyFile reads a property file of the competition on software
// verification: one `CHECK( init(main()), LTL(…) )` a line, empty lines and
// lines that start with // or # are skipped.
func ReadPropertyFile(path string) (*Specification, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &InputError{Pos: Position{File: path}, Message: "cannot read the property file: " + fileCause(err)}
	}
	return parsePropertyFile(path, string(text))
}

// fileCause is the cause of a file error without the repetition of its path.
func fileCause(err error) string {
	if e, ok := err.(*os.PathError); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// parsePropertyFile reads the text of a property file; path is for messages.
func parsePropertyFile(path, text string) (*Specification, error) {
	s := &Specification{}
	checks, wrong := propfile.Parse(text)
	if wrong != nil {
		return nil, &InputError{Pos: Position{File: path, Line: wrong.Line}, Message: wrong.Message, Hint: wrong.Hint}
	}
	for _, c := range checks {
		at := Position{File: path, Line: c.Line}
		s.Entry = c.Entry
		names, label := c.Meaning()
		s.AssertEnds = s.AssertEnds || c.AssertEnds()
		if names == nil && c.Logic == "LTL" && c.Formula != "" {
			source, err := formula.OfLine(path, text, c.Line)
			switch {
			case err != nil:
				return nil, loadError(err)
			case source != nil && s.LTL != nil:
				return nil, &InputError{Pos: at, Message: "two formulas of temporal logic: one at a time"}
			case source != nil:
				s.LTL, names = source, []string{string(LTL)}
			}
		}
		switch {
		case c.Formula == "":
			return nil, &InputError{Pos: at, Message: "the formula is empty", Hint: "write for example LTL(G ! call(reach_error()))"}
		case label != "" && s.Label != "" && s.Label != label:
			return nil, &InputError{Pos: at, Message: fmt.Sprintf("the label %s differs from %s above: one label at a time", label, s.Label)}
		case label != "":
			s.Label = label
		case names == nil:
			names = []string{string(property.Temporal)}
		}
		for _, name := range names {
			s.Properties = append(s.Properties, Property(name))
			if !Property(name).Decidable() {
				s.Unsupported = append(s.Unsupported, c.Formula)
			}
		}
	}
	return s, nil
}
