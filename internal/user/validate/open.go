package validate

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"

	"assay/internal/user/property"
	"assay/internal/user/witness"
)

// Open reads a witness, and says what to ask: what is asked, or else what it is about. It must be about one of the properties asked,
// if there are any. The error is an *InputError.
func Open(file string, asked property.Specified) (*witness.Witness, property.Specified, error) {
	var none property.Specified
	f, err := os.Open(file)
	if err != nil {
		return nil, none, unreadable(file, err)
	}
	defer f.Close()
	var text bytes.Buffer
	if _, err := io.Copy(&text, io.LimitReader(f, witness.MaxBytes+1)); err != nil {
		return nil, none, unreadable(file, err)
	}
	w, err := witness.Read(text.Bytes())
	var syntax *witness.SyntaxError
	if errors.As(err, &syntax) {
		return nil, none, &InputError{File: file, Line: syntax.Line, Column: syntax.Column, Message: syntax.Message}
	}
	about := property.OfSpecification(w.Task.Specification)
	switch {
	case len(asked.Properties) == 0 && len(about.Properties) == 0:
		return nil, none, &InputError{File: file, Message: "the witness is about the specification " + w.Task.Specification + ", which is not known", Hint: "name the property with --property or --spec"}
	case len(asked.Properties) > 0 && len(about.Properties) > 0 && !slices.ContainsFunc(about.Properties, func(p property.Property) bool { return property.Covers(asked.Properties, p) }):
		return nil, none, &InputError{File: file, Message: "the witness is about another property: " + w.Task.Specification}
	}
	if len(asked.Properties) == 0 {
		asked.Properties, asked.Label = about.Properties, about.Label
		if asked.Entry == "" {
			asked.Entry = about.Entry
		}
	}
	return w, asked, nil
}

func unreadable(file string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &InputError{File: file, Message: "cannot read the witness: " + err.Error()}
}
