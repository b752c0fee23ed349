package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"assay"
)

// durationValue is a flag for a time limit: seconds, or a number with unit.
type durationValue struct{ d *time.Duration }

func (v durationValue) String() string {
	if v.d == nil || *v.d == 0 {
		return ""
	}
	return v.d.String()
}

func (v durationValue) Type() string { return "time" }

func (v durationValue) Set(s string) error {
	d, err := time.ParseDuration(s)
	if seconds, number := strconv.ParseFloat(s, 64); number == nil {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil {
		return fmt.Errorf("%q is no time: write for example 10s or 2m", s)
	}
	if d <= 0 {
		return fmt.Errorf("a time limit must be positive")
	}
	*v.d = d
	return nil
}

// minMemory is the smallest memory limit under which the program can start:
// the libraries and the reserve of the Go runtime take that much.
const minMemory = 256 << 20

// sizeValue is a flag for a memory limit.
type sizeValue struct{ bytes *uint64 }

func (v sizeValue) String() string {
	if v.bytes == nil || *v.bytes == 0 {
		return ""
	}
	return humanize.IBytes(*v.bytes)
}

func (v sizeValue) Type() string { return "size" }

func (v sizeValue) Set(s string) error {
	n, err := humanize.ParseBytes(s)
	if err != nil {
		return fmt.Errorf("%q is no size: write for example 2GiB or 500MB", s)
	}
	if n < minMemory {
		return fmt.Errorf("a memory limit must be %s at least", humanize.IBytes(minMemory))
	}
	*v.bytes = n
	return nil
}

// propertyValue is a flag for a list of properties. The first use replaces what is there, each other one adds to it.
type propertyValue struct {
	list *string
	set  bool
}

func (v *propertyValue) String() string {
	if v.list == nil {
		return ""
	}
	return *v.list
}

func (v *propertyValue) Type() string { return "names" }

func (v *propertyValue) Set(s string) error {
	if v.set {
		s = *v.list + "," + s
	}
	*v.list, v.set = s, true
	return nil
}

// choiceValue is a flag with a fixed list of values.
type choiceValue struct {
	value   *string
	choices []string
}

func (v choiceValue) String() string {
	if v.value == nil {
		return ""
	}
	return *v.value
}

func (v choiceValue) Type() string { return strings.Join(v.choices, "|") }

func (v choiceValue) Set(s string) error {
	for _, c := range v.choices {
		if strings.EqualFold(s, c) {
			*v.value = c
			return nil
		}
	}
	return fmt.Errorf("must be one of %s", strings.Join(v.choices, ", "))
}

// pointerValue is a flag that collects what pointer parameters point to.
type pointerValue struct {
	pointers map[string]assay.Pointer
	kind     *pointerKind
}

// pointerKind is one of the flags.
type pointerKind struct {
	form, example string
	parse         func(value string) (assay.Pointer, bool)
}

var (
	arrayPointer = &pointerKind{"f:p=N", "sum:values=10", func(value string) (assay.Pointer, bool) {
		if n, err := strconv.Atoi(value); err == nil {
			return assay.Pointer{IsArray: true, Elements: n}, n >= 0
		}
		return assay.Pointer{Length: value}, value != "" && !strings.ContainsAny(value[:1], "-+0123456789")
	}}
	stringPointer = &pointerKind{"f:p", "length:text", func(value string) (assay.Pointer, bool) {
		return assay.Pointer{String: true}, value == ""
	}}
	aliasPointer = &pointerKind{"f:p=q", "copy:to=from", func(value string) (assay.Pointer, bool) {
		return assay.Pointer{Alias: value}, value != ""
	}}
)

// nonNullValue is a flag that collects the parameters that are not null.
type nonNullValue struct{ names *[]string }

func (v nonNullValue) String() string { return "" }

func (v nonNullValue) Type() string { return "f:p" }

func (v nonNullValue) Set(s string) error {
	if !isNonNull(s) {
		return fmt.Errorf("%q: write function:parameter, for example sum:values, or all", s)
	}
	*v.names = append(*v.names, s)
	return nil
}

// isNonNull says whether an argument is a value of the flag.
func isNonNull(s string) bool {
	function, parameter, ok := strings.Cut(s, ":")
	return s == assay.AllPointers || ok && function != "" && parameter != "" && !strings.ContainsAny(s, "/.=")
}

func (v pointerValue) String() string { return "" }

func (v pointerValue) Type() string { return v.kind.form }

func (v pointerValue) Set(s string) error {
	name, value, _ := strings.Cut(s, "=")
	p, ok := v.kind.parse(value)
	if !ok || !strings.Contains(name, ":") {
		return fmt.Errorf("%q: write function:parameter%s, for example %s", s, strings.TrimPrefix(v.kind.form, "f:p"), v.kind.example)
	}
	if _, again := v.pointers[name]; again {
		return fmt.Errorf("%q: the parameter has been described before", s)
	}
	v.pointers[name] = p
	return nil
}

// engineValue is a flag for the name of an engine; the names are listed in the help.
type engineValue struct{ choiceValue }

func (engineValue) Type() string { return "name" }

// dumpValue is a flag that names files for views of the program: view=file.
type dumpValue struct{ files map[assay.View]string }

func (v dumpValue) String() string { return "" }

func (v dumpValue) Type() string { return "view=file" }

func (v dumpValue) Set(s string) error {
	view, file, ok := strings.Cut(s, "=")
	var names []string
	for _, x := range assay.Views {
		names = append(names, string(x))
	}
	if !ok || file == "" || !slices.Contains(names, view) {
		return fmt.Errorf("%q is no view=file; the views are %s", s, strings.Join(names, ", "))
	}
	v.files[assay.View(view)] = file
	return nil
}
