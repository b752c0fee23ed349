// Package harness infers how a person would call a function to test it: pointers to objects of the
// right size, strings, structures filled in, as the types, the names and the uses of the
// parameters suggest. The result is a plan, as data: the front end makes the calls of it,
// and what it assumes is printed. It proves nothing about callers: an answer under a plan says
// what it assumed.
//
//	plan.go    what a plan is, and its words      infer.go   parameters to a plan
//	uses.go    what a function does with them     names.go   which names are lengths
//	layout.go  structures                         indices.go  members that are an index
//	ends.go  lengths in sums, and behind pointers
//	callbacks.go  what functions do that a harness makes
//	sentinels.go  arrays that end with an element of zeros
//	allocators.go  which comparisons with null say nothing
//	null.go  parameters that nobody asks whether they are null
//	constructors.go  objects that functions of the program make
//	kin.go  parameters that may lead to the same structure
package harness

import (
	"cmp"
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
	// Positive lets ordinary integers be 1 at least.
	Positive bool
	// Ordinary are the integers that are small: parameters, by name, or AllIntegers, which stands for members, too.
	Ordinary []string
	// Spared are violations that are known: runs end before them.
	Spared []Site
	// Made are structures that functions of the program make.
	Made []Making
	// Same lets the functions that change such a structure get the keys that the function gets: numbers, and what is only read, of the same name.
	Same bool
	// Wordwise are functions that read whole words on purpose: runs end before a read that begins in an object and ends behind it.
	Wordwise []Wordwise
	// Short lets a program have two arguments at most, of a few characters.
	Short bool
}

// Wordwise is a function, by its lines, and the most bytes of a word.
type Wordwise struct {
	File        string
	First, Last int
	Bytes       uint64
}

// Site is a place in the source.
type Site struct {
	File         string
	Line, Column int
}

// bounds says that ordinary integers of a type are bounded: those of 8 bits only by small limits, and characters never.
func (v *Variant) bounds(t *llvm.CType) bool {
	return t != nil && t.Kind == llvm.CInt && (t.Bits > 8 || v.Limit > 0 && v.Limit < 128 && !isCharacter(t))
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
	// Limit is that of ordinary integers; Positive says that they are 1 at least.
	Limit      uint64
	Positive   bool
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
	// Packed are ordinary integers in the bytes of an integer: it is part of a structure.
	Packed []Member
	// Same says that it is what the function under analysis gets by the same name.
	Same bool
}

// Pointer is what a pointer points to.
type Pointer struct {
	// MayBeNull says that it is null, or what follows.
	MayBeNull bool
	// Object is what it points to; nil is nothing: then it is null, a function, or a place in another object.
	Object *Object
	// Made says which functions make the object, nil if Object does.
	Made *Made
	// Function is the signature of a function, if it points to one; Ordinary says that the integers it returns are small.
	Function *llvm.CType
	Ordinary bool
	// Before is how many bytes of the object are before the place where it points.
	Before uint64
	// EndOf is the parameter whose object it is the end of.
	EndOf string
	// Shared are what it may be equal to instead: other parameters, or places in what they lead to, where these are not null.
	Shared []string
	// Why are the words for what suggested that, empty for the type.
	Why string
	// Sized says that a name, a use or a flag says how much it points to; else that is a guess.
	Sized bool
	// ByUse says that it is not only a name that says so.
	ByUse bool
	// Chosen says that it is a member of a union, in which a run may take it for another member.
	Chosen bool
	// Several says that the program takes it for different structures which begin alike: a member may tell which it is.
	Several bool
	// Loose are members beside it, if it is one, that limit something and are no size: the program may know how they go with the
	// size of what it points to.
	Loose []Limit
}

// Limit is a member that Functions compare with what is not in the structure.
type Limit struct {
	Member    string
	Functions map[string]bool
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
	Ended              // one or more, or as many as the parameter Name says, and one of zeros behind them
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
	// Null is how many bytes of pointers are null.
	Null uint64
	// Under is the number of elements of an array in the same structure, if it is a place in that; 0 if it is not.
	Under uint64
}

// Most is how many elements with parts of their own an object has at most, where it has as many as something says.
const Most = 3

// Fact is one thing that is assumed of the state in which a run starts.
type Fact struct {
	// Name is the parameter, or the part of what it points to, that it is about; empty if it is about something else.
	Name string
	Text string
	// Pointer is what it points to, if it does.
	Pointer *Pointer
}

// Part says that it is about what is inside of what an argument points to.
func (f *Fact) Part() bool { return strings.ContainsAny(f.Name, "->*.[") }

// Unknown says that it points to a structure of which the program has no definition.
func (p *Pointer) Unknown() bool { return p.Object != nil && isOpaque(p.Object.Type) }

// Open says that it points to a structure whose last member is an array of any size: nothing says how much room it has.
func (p *Pointer) Open() bool {
	if p.Object == nil {
		return false
	}
	t := p.Object.Type.Strip()
	if t == nil || t.Kind != llvm.CStruct || len(t.Members) == 0 {
		return false
	}
	last := t.Members[len(t.Members)-1].Type.Strip()
	return last != nil && last.Kind == llvm.CArray && last.Count <= 1
}

// Facts describe the plan, one for each parameter, or part, that is not simply arbitrary.
func (p *Plan) Facts() []Fact {
	var facts []Fact
	for _, x := range p.Parameters {
		switch {
		case x.Pointer != nil:
			facts = append(facts, x.Pointer.facts(x.Name)...)
		case len(x.Values) > 0:
			facts = append(facts, Fact{Name: x.Name, Text: x.Name + " is " + oneOf(x.Values)})
		case x.Ordinary:
			text := fmt.Sprintf("%s is small (its absolute value is at most %d)", x.Name, p.Limit)
			if p.Positive {
				text = fmt.Sprintf("%s is one of 1 to %d", x.Name, p.Limit)
			}
			facts = append(facts, Fact{Name: x.Name, Text: text})
		}
		facts = append(facts, fieldFacts(x.Name+".", x.Fields)...)
	}
	used := slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool { return f.Pointer != nil && f.Pointer.Why == notUsed })
	if len(used) < len(facts) {
		used = append(used, Fact{Text: "pointers that the program does not use are null"})
	}
	return used
}

// Text has the facts in words, a line each.
func (p *Plan) Text() []string {
	var lines []string
	for _, f := range p.Facts() {
		lines = append(lines, f.Text)
	}
	return lines
}

// Chain says that it leads to an object of the type in which it is.
func (p *Pointer) Chain() bool { return p.Why == ownType }

// ownType is why pointers are null or lead one level on, notUsed is why pointers that the program does not use are null.
const (
	ownType = "it leads to its own type"
	notUsed = "not used"
)

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

func (p *Pointer) facts(name string) []Fact {
	null := ""
	switch {
	case p.MayBeNull && p.Object != nil && p.Object.Count.Kind == InMember:
		null = "is null (and " + p.Object.Count.Name + " is 0), or "
	case p.MayBeNull:
		null = "is null, or "
	}
	if len(p.Shared) > 0 {
		null += "is equal to " + strings.Join(p.Shared, " or ") + ", or "
	}
	why := ""
	if p.Why != "" {
		why = " (" + p.Why + ")"
	}
	fact := func(text string) []Fact { return []Fact{{Name: name, Text: name + " " + text + why, Pointer: p}} }
	switch {
	case p.Made != nil:
		return fact(p.Made.text())
	case p.EndOf != "":
		return fact(null + "points to the end of what " + p.EndOf + " points to")
	case Reads(p.Function):
		return fact(null + "points to a function that puts a string into its first argument, of the size that the second says, and returns that or null")
	case p.Function != nil && returnsPointer(p.Function):
		return fact(null + "points to a function that returns a new object and changes nothing")
	case p.Function != nil && p.Ordinary && ReturnsInteger(p.Function):
		return fact(null + "points to a function that returns small numbers and changes nothing")
	case p.Function != nil:
		return fact(null + "points to a function that returns anything and changes nothing")
	case p.Object == nil:
		return fact("is null")
	}
	inner := name + "->"
	if p.Object.Count.Kind != Fixed || p.Object.Count.Number != 1 {
		inner = name + "[i]."
	}
	if p.Before > 0 {
		inner = name + "'s structure."
		return append(fact(fmt.Sprintf("%spoints to byte %d of %s", null, p.Before, p.Object.text())), fieldFacts(inner, p.Object.Fields)...)
	}
	return append(fact(null+"points to "+p.Object.text()), fieldFacts(inner, p.Object.Fields)...)
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
	case Ended:
		if o.Count.Some {
			few += ", one at least"
		}
		return cmp.Or(o.Count.Name, "one or more") + " elements of " + element + few + ", and one of zeros behind them"
	case Length, InMember:
		if o.Count.Some {
			few += ", one at least"
		}
		if o.Count.Terminated {
			few += ", the last one 0"
		}
		if o.Room > 0 {
			few += fmt.Sprintf(", with room for %d bytes, as they are taken for a structure", o.Room)
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

func fieldFacts(prefix string, fields []Field) []Fact {
	var facts []Fact
	for _, f := range fields {
		name := prefix + f.Name
		text := ""
		switch {
		case f.Pointer != nil:
			facts = append(facts, f.Pointer.facts(name)...)
		case len(f.Values) > 0:
			text = "is " + oneOf(f.Values)
		case f.AtMost != nil && f.Below:
			text = "< " + prefix + f.AtMost.Name
		case f.AtMost != nil:
			text = "<= " + prefix + f.AtMost.Name
		case f.Under > 0:
			text = fmt.Sprintf("< %d, the size of an array beside it", f.Under)
		case f.Null > 0:
			text = "are null"
		case f.Terminated:
			text = "ends with a null character"
		}
		if text != "" {
			facts = append(facts, Fact{Name: name, Text: name + " " + text})
		}
	}
	return facts
}
