// Package harness infers how a person would call a function to test it: pointers to objects of the
// right size, strings, structures filled in, as the types, the names and the uses of the
// parameters suggest. The result is a plan, as data: the front end makes the calls of it,
// and what it assumes is printed. It proves nothing about callers: an answer under a plan says
// what it assumed.
//
//	plan.go    what a plan is, and its words      infer.go   parameters to a plan
//	uses.go    what a function does with them     names.go   which names are lengths
//	layout.go  structures
package harness

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/llvm"
)

// Variant says how plans are made.
type Variant struct {
	// Infer asks for a plan at all.
	Infer bool
	// Generous makes guessed sizes large, fills in what is too deep otherwise, and lets no pointer be null but those that lead
	// to their own type; arrays are not empty, and places in buffers are those of elements.
	Generous bool
	// Few lets arrays have few elements, and those of integers be ordinary.
	Few bool
	// Limit is the greatest absolute value of ordinary integers, 0 is OrdinaryLimit.
	Limit uint64
	// Ordinary are the integers that are small: parameters, by name, or AllIntegers, which stands for members, too.
	Ordinary []string
}

// AllIntegers stands for all in Variant.Ordinary.
const AllIntegers = "*"

// OrdinaryLimit is the greatest absolute value of an ordinary integer.
const OrdinaryLimit = 1000

// IsOrdinary says whether the parameter is.
func (v *Variant) IsOrdinary(name string) bool {
	return slices.Contains(v.Ordinary, name) || slices.Contains(v.Ordinary, AllIntegers)
}

// Most is the limit.
func (v *Variant) Most() uint64 {
	if v.Limit == 0 {
		return OrdinaryLimit
	}
	return v.Limit
}

// Plan says what a function is called with.
type Plan struct {
	Function string
	// Limit is that of ordinary integers.
	Limit      uint64
	Parameters []Parameter
}

// Parameter is one of the source.
type Parameter struct {
	Name string
	Type *llvm.CType
	// Pointer says what a pointer points to; nil for scalars.
	Pointer *Pointer
	// Fields are those of a structure that is passed by value.
	Fields []Field
	// Values are those that a scalar has; nil is any. Ordinary integers are small.
	Values   []int64
	Ordinary bool
}

// Pointer is what a pointer points to.
type Pointer struct {
	// MayBeNull says that it is null, or what follows.
	MayBeNull bool
	// Object is what it points to; nil is nothing: then it is null, a function, or a place in another object.
	Object *Object
	// Function is the signature of a function, if it points to one.
	Function *llvm.CType
	// EndOf is the parameter whose object it is the end of.
	EndOf string
	// Why are the words for what suggested that, empty for the type.
	Why string
}

// Object is one or more elements.
type Object struct {
	// Type is that of the elements, nil for bytes; Size is theirs, in bytes.
	Type *llvm.CType
	Size uint64
	// Count is how many there are, Room how many bytes there are at least.
	Count Count
	Room  uint64
	// Fields are the parts of each element that are not simply arbitrary.
	Fields []Field
}

// Count is a number of elements.
type Count struct {
	Kind CountKind
	// Number is that of Fixed.
	Number uint64
	// Name is a parameter, or the member of the same structure at Member.
	Name   string
	Member Member
	// Some says that there is one at least.
	Some bool
	// Terminated says that the last element is 0.
	Terminated bool
}

// CountKind classifies counts.
type CountKind uint8

// The kinds.
const (
	Fixed    CountKind = iota
	Length             // as many as the parameter Name says
	InMember           // as many as the member Name of the same structure says
	String             // any number, and one more that is 0
	Any                // any number
)

// Member is a scalar in a structure.
type Member struct {
	Name   string
	Offset uint64 // bytes
	Type   *llvm.CType
}

// Field is a part of a structure: a pointer, or a scalar or array with few values.
type Field struct {
	Member
	Pointer *Pointer
	// Values are those of an enumeration or a truth value.
	Values []int64
	// AtMost is a member that it does not exceed, or, if it is a place, does not reach; Ordinary integers are small.
	AtMost   *Member
	Below    bool
	Ordinary bool
	// Terminated says that it is an array of characters that ends with 0.
	Terminated bool
	// Under is the number of elements of an array in the same structure, if it is a place in that; 0 if it is not.
	Under uint64
}

// Most is how many elements with parts of their own an object has at most, where it has as many as something says.
const Most = 3

// Text describes the plan, a line for each parameter that is not simply arbitrary.
func (p *Plan) Text() []string {
	var lines []string
	for _, x := range p.Parameters {
		switch {
		case x.Pointer != nil:
			lines = append(lines, x.Pointer.text(x.Name)...)
		case len(x.Values) > 0:
			lines = append(lines, x.Name+" is "+oneOf(x.Values))
		case x.Ordinary:
			lines = append(lines, fmt.Sprintf("%s is small (its absolute value is at most %d)", x.Name, p.Limit))
		}
		lines = append(lines, fieldsText(x.Name+".", x.Fields)...)
	}
	used := slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return strings.HasSuffix(s, unused) })
	if len(used) < len(lines) {
		used = append(used, "pointers that the program does not use are null")
	}
	return used
}

// unused ends the words for pointers that the program does not use.
const unused = " is null (" + notUsed + ")"

const notUsed = "not used"

func oneOf(values []int64) string {
	var list []string
	for i, v := range values {
		if i == 8 {
			return "one of " + strings.Join(list, ", ") + fmt.Sprintf(" and %d more", len(values)-i)
		}
		list = append(list, fmt.Sprint(v))
	}
	return "one of " + strings.Join(list, ", ")
}

func (p *Pointer) text(name string) []string {
	null := ""
	if p.MayBeNull {
		null = "is null, or "
	}
	why := ""
	if p.Why != "" {
		why = " (" + p.Why + ")"
	}
	switch {
	case p.EndOf != "":
		return []string{fmt.Sprintf("%s %spoints to the end of what %s points to%s", name, null, p.EndOf, why)}
	case p.Function != nil:
		return []string{fmt.Sprintf("%s %spoints to a function that returns anything and changes nothing%s", name, null, why)}
	case p.Object == nil:
		return []string{name + " is null" + why}
	}
	lines := []string{fmt.Sprintf("%s %spoints to %s%s", name, null, p.Object.text(), why)}
	inner := name + "->"
	if p.Object.Count.Kind != Fixed || p.Object.Count.Number != 1 {
		inner = name + "[i]."
	}
	return append(lines, fieldsText(inner, p.Object.Fields)...)
}

// text names the elements.
func (o *Object) text() string {
	element := "bytes"
	if o.Type != nil {
		element = o.Type.Declare()
	}
	few := ""
	if len(o.Fields) > 0 {
		few = fmt.Sprintf(", %d at most", Most)
	}
	switch o.Count.Kind {
	case String:
		return "a string of any length"
	case Any:
		return "any number of " + element
	case Length, InMember:
		if o.Count.Some {
			few += ", one at least"
		}
		if o.Count.Terminated {
			few += ", the last one 0"
		}
		return fmt.Sprintf("%s elements of %s%s", o.Count.Name, element, few)
	}
	if o.Room > 0 {
		return fmt.Sprintf("one %s with room for %d bytes, as it is taken for a larger structure", element, o.Room)
	}
	if o.Count.Number == 1 {
		if o.Type == nil {
			return "one byte"
		}
		return "one " + element
	}
	return fmt.Sprintf("%d elements of %s", o.Count.Number, element)
}

func fieldsText(prefix string, fields []Field) []string {
	var lines []string
	for _, f := range fields {
		switch {
		case f.Pointer != nil:
			lines = append(lines, f.Pointer.text(prefix+f.Name)...)
		case len(f.Values) > 0:
			lines = append(lines, prefix+f.Name+" is "+oneOf(f.Values))
		case f.AtMost != nil:
			operator := "<="
			if f.Below {
				operator = "<"
			}
			lines = append(lines, fmt.Sprintf("%s%s %s %s%s", prefix, f.Name, operator, prefix, f.AtMost.Name))
		case f.Under > 0:
			lines = append(lines, fmt.Sprintf("%s%s < %d, the size of an array beside it", prefix, f.Name, f.Under))
		case f.Terminated:
			lines = append(lines, prefix+f.Name+" ends with a null character")
		}
	}
	return lines
}
