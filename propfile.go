package assay

import (
	"errors"
	"os"

	"assay/internal/user/formula"
	"assay/internal/user/propfile"
)

// Specification is the content of a property file.
type Specification = formula.Specification

// ReadPropertyFile reads a property file of the competition on software
// verification: one `CHECK( init(main()), LTL(…) )` a line, empty lines and
// lines that start with // or # are skipped.
func ReadPropertyFile(path string) (*Specification, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &InputError{Pos: Position{File: path}, Message: "cannot read the property file: " + errors.Unwrap(err).Error()}
	}
	return parsePropertyFile(path, string(text))
}

// parsePropertyFile reads the text of a property file; path is for messages.
func parsePropertyFile(path, text string) (*Specification, error) {
	s, err := formula.Specify(path, text)
	var wrong *propfile.Error
	switch {
	case errors.As(err, &wrong):
		return nil, &InputError{Pos: Position{File: path, Line: wrong.Line}, Message: wrong.Message, Hint: wrong.Hint}
	case err != nil:
		return nil, loadError(err)
	}
	return s, nil
}
