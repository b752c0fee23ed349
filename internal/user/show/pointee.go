package show

// This file has what an invalid access is about, as data: Step.Text has it in words.

// Pointee is the object that the pointer of an invalid access points to, or is close to. The zero value says that the
// step is no invalid access, or that nothing is known.
type Pointee struct {
	Kind PointeeKind `json:"kind"`
	// Name is that of a variable, of a function, or of what a harness made, as in b->data; of null that was passed, that of the
	// parameter. Empty if it has none.
	Name string `json:"name,omitempty"`
	// Via is the pointer that leads to a heap block, as in list->items; empty if it is not known.
	Via string `json:"via,omitempty"`
	// Where is the address relative to the object.
	Where Where `json:"where,omitempty"`
	// Bytes is how many are read or written by one instruction, 0 for ranges.
	Bytes uint64 `json:"-"`
	// Reads says that they are read.
	Reads bool `json:"-"`
	// Gone says that the object was freed, or has gone out of scope.
	Gone bool `json:"gone,omitempty"`
	// Initial says that the pointer is null from the start: it was passed so, or is in memory that was so when the function
	// under analysis was called, and never changed.
	Initial bool `json:"initial,omitempty"`
	// Open says that the time was up before that was known.
	Open bool `json:"-"`
}

// PointeeKind classifies objects.
type PointeeKind string

// The kinds.
const (
	PointeeNull     PointeeKind = "null"     // the pointer is null, or an offset from null
	PointeeNothing  PointeeKind = "nothing"  // no object is near
	PointeeArgument PointeeKind = "argument" // what the harness of the function under analysis made
	PointeeHeap     PointeeKind = "heap"
	PointeeLocal    PointeeKind = "local"
	PointeeGlobal   PointeeKind = "global" // string literals included
	PointeeFunction PointeeKind = "function"
)

// Where is the place of an address, relative to an object.
type Where string

// The places.
const (
	WhereBefore Where = "before"
	WhereInside Where = "inside"
	WhereBehind Where = "behind" // at the end, or past it
)

// pointee is the object, for an access at the address.
func (o object) pointee(address uint64, alive bool) Pointee {
	p := Pointee{Kind: o.kind, Name: o.name, Gone: !alive, Where: WhereInside}
	switch {
	case address < o.base:
		p.Where = WhereBefore
	case address >= o.base+o.size:
		p.Where = WhereBehind
	}
	return p
}
