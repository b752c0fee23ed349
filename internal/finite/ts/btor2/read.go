// Package btor2 reads and writes word-level transition systems in the BTOR2
// format, and its witnesses [NiemetzPreinerWolfBiere18: A. Niemetz, M. Preiner,
// C. Wolf, A. Biere. BTOR2, BtorMC and Boolector 3.0. CAV 2018].
//
// A node of bit-vector sort is a term; bit-vectors of width 1 stay bit-vectors.
// An array is a slice of terms, one for each index, if it has at most MaxArray
// bits: a read is a tree of conditionals, a write one conditional for each
// element. Larger arrays are ts.Unsupported.
package btor2

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"assay/internal/finite/ts"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// MaxArray is the number of bits up to which arrays are expanded.
const MaxArray = 1 << 16

// maxWidth bounds bit-vectors, so that a line cannot ask for gigabytes.
const maxWidth = 1 << 20

// Model is a parsed file.
type Model struct {
	System *ts.System
	// The numbering of witnesses: by state and input of the file, in its order.
	States []Symbol
	Inputs []Symbol
}

// Symbol is a state or input of the file.
type Symbol struct {
	Name string // as in the file; may be empty
	// Vars are the indices in System of its variables: one, or one for each
	// element of an array.
	Vars    []int
	IsArray bool
	Index   uint32 // width of the indices of an array
	NoNext  bool   // a state that is arbitrary in every step
	Next    []int  // of a state with NoNext: the inputs that are its next values
}

type sort struct {
	width   uint32 // of a bit-vector, or of the elements
	index   uint32 // of an array
	isArray bool
}

func (s sort) String() string {
	if s.isArray {
		return fmt.Sprintf("array from bitvec %d to bitvec %d", s.index, s.width)
	}
	return fmt.Sprintf("bitvec %d", s.width)
}

type value struct {
	sort  sort
	terms []term.ID // one, or the elements
	state int       // one more than the index in Model.States, if it is a state
}

type reader struct {
	line   int
	store  *term.Store
	system *ts.System
	model  *Model
	sorts  map[int64]sort
	values map[int64]value
	names  map[string]bool
	init   map[int]bool // states of the model that have an init, or a next
	next   map[int]bool
	last   int64
	fields []string // of the line that are still to be read
}

// fault is what the methods of reader panic with; Read recovers it.
type fault struct{ err error }

func (r *reader) fail(format string, args ...any) {
	panic(fault{&ts.SyntaxError{Line: r.line, What: fmt.Sprintf(format, args...)}})
}

// Read parses a file. The error is a *ts.SyntaxError or a *ts.Unsupported.
func Read(text []byte) (m *Model, err error) {
	store := term.NewStore()
	store.KeepSums()
	r := &reader{
		store: store, system: &ts.System{Store: store}, model: &Model{},
		sorts: map[int64]sort{}, values: map[int64]value{}, names: map[string]bool{},
		init: map[int]bool{}, next: map[int]bool{},
	}
	defer func() {
		if p := recover(); p != nil {
			f, ok := p.(fault)
			if !ok {
				panic(p)
			}
			m, err = nil, f.err
		}
	}()
	for line := range strings.Lines(string(text)) {
		r.line++
		if i := strings.IndexByte(line, ';'); i >= 0 {
			line = line[:i]
		}
		if r.fields = strings.Fields(line); len(r.fields) > 0 {
			r.node()
		}
	}
	r.finish()
	r.model.System = r.system
	if err := r.system.Check(); err != nil {
		return nil, &ts.SyntaxError{Line: r.line, What: err.Error()}
	}
	return r.model, nil
}

// finish gives next values to states without one.
func (r *reader) finish() {
	for k := range r.model.States {
		if r.next[k] {
			continue
		}
		sym := &r.model.States[k]
		sym.NoNext = true
		for _, i := range sym.Vars {
			st := &r.system.States[i]
			in := r.input(st.Name+"'", r.store.Width(st.Term))
			r.system.Inputs[in].NextOf = i + 1
			st.Next = r.system.Inputs[in].Term
			sym.Next = append(sym.Next, in)
		}
	}
}

func (r *reader) word(what string) string {
	if len(r.fields) == 0 {
		r.fail("%s is missing", what)
	}
	w := r.fields[0]
	r.fields = r.fields[1:]
	return w
}

func (r *reader) number(what string) int64 {
	w := r.word(what)
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil {
		r.fail("%s is %q and not a number", what, w)
	}
	return n
}

func (r *reader) small(what string, least, most int64) uint32 {
	n := r.number(what)
	if n < least || n > most {
		r.fail("%s is %d and not between %d and %d", what, n, least, most)
	}
	return uint32(n)
}

func (r *reader) sort() sort {
	n := r.number("the sort")
	s, ok := r.sorts[n]
	if !ok {
		r.fail("%d is not a sort", n)
	}
	return s
}

// bits is a sort that must be a bit-vector.
func (r *reader) bits() sort {
	s := r.sort()
	if s.isArray {
		r.fail("sort error: a bit-vector is needed, not an %v", s)
	}
	return s
}

// operand is a value; a negative number is its bitwise negation.
func (r *reader) operand() value {
	n := r.number("an operand")
	id := max(n, -n)
	v, ok := r.values[id]
	if !ok {
		if _, isSort := r.sorts[id]; isSort {
			r.fail("%d is a sort and not a value", id)
		}
		r.fail("%d is not a value defined before", id)
	}
	if n < 0 {
		r.wantBits(v)
		v.terms, v.state = []term.ID{r.store.BVNot(v.terms[0])}, 0
	}
	return v
}

func (r *reader) wantBits(v value) term.ID {
	if v.sort.isArray {
		r.fail("sort error: an operand is an %v where a bit-vector is needed", v.sort)
	}
	return v.terms[0]
}

func (r *reader) same(a, b sort) {
	if a != b {
		r.fail("sort error: %v where %v is needed", a, b)
	}
}

func (r *reader) bool() term.ID {
	v := r.operand()
	r.same(v.sort, sort{width: 1})
	return r.store.BVToBool(v.terms[0])
}

// name is the symbol at the end of the line, or empty.
func (r *reader) name() string {
	if len(r.fields) == 0 {
		return ""
	}
	s := r.fields[0]
	r.fields = nil
	return s
}

// unique is a name for a variable.
func (r *reader) unique(name string) string {
	if name == "" {
		name = "n" + strconv.FormatInt(r.last, 10)
	}
	for base, k := name, 0; r.names[name]; k++ {
		name = fmt.Sprintf("%s!%d", base, k)
	}
	r.names[name] = true
	return name
}

func (r *reader) input(name string, width uint32) int {
	name = r.unique(name)
	r.system.Inputs = append(r.system.Inputs, ts.Input{Term: r.store.Var(name, term.BitVec(width)), Name: name})
	return len(r.system.Inputs) - 1
}

// node reads a line.
func (r *reader) node() {
	id := r.number("the number of the node")
	if id <= r.last {
		r.fail("node %d comes after node %d", id, r.last)
	}
	r.last = id
	op := r.word("the operation")
	switch op {
	case "sort":
		r.sorts[id] = r.newSort()
		return
	case "init", "next":
		r.update(op)
		return
	case "bad":
		r.system.Bad = append(r.system.Bad, ts.Property{Term: r.bool(), Name: r.name()})
		return
	case "constraint":
		r.system.Constraints = append(r.system.Constraints, r.bool())
		return
	case "fair":
		r.system.Fair = append(r.system.Fair, r.bool())
		return
	case "output":
		r.operand()
		return
	case "justice":
		n := r.small("the number of conditions", 1, 1<<20)
		var j ts.Justice
		for range n {
			j.Terms = append(j.Terms, r.bool())
		}
		j.Name = r.name()
		r.system.Justice = append(r.system.Justice, j)
		return
	}
	r.values[id] = r.value(op)
	if len(r.fields) > 1 {
		r.fail("%q is more than operands and a symbol", strings.Join(r.fields, " "))
	}
}

func (r *reader) newSort() sort {
	switch kind := r.word("the kind of sort"); kind {
	case "bitvec":
		w := r.small("the width", 1, 1<<31-1)
		if w > maxWidth {
			panic(fault{&ts.Unsupported{Line: r.line, What: fmt.Sprintf("bit-vectors of width %d; at most %d is supported", w, maxWidth)}})
		}
		return sort{width: w}
	case "array":
		index, elem := r.bits(), r.bits()
		return sort{width: elem.width, index: index.width, isArray: true}
	default:
		r.fail("%q is not a kind of sort", kind)
		panic("unreachable")
	}
}

// elements is the number of elements of an array, or 1.
func (r *reader) elements(s sort) int {
	if !s.isArray {
		return 1
	}
	if s.index > 16 || uint64(s.width)<<s.index > MaxArray {
		panic(fault{&ts.Unsupported{Line: r.line, What: fmt.Sprintf("an array of 2^%d elements of %d bits; at most %d bits are supported", s.index, s.width, MaxArray)}})
	}
	return 1 << s.index
}

func (r *reader) value(op string) value {
	s := r.store
	switch op {
	case "input", "state":
		return r.variable(op == "state")
	case "one", "ones", "zero", "const", "constd", "consth":
		to := r.bits()
		return value{sort: to, terms: []term.ID{s.Const(r.constant(op, to.width))}}
	case "slice":
		to := r.bits()
		x := r.operand()
		t := r.wantBits(x)
		hi, lo := r.small("the upper bit", 0, int64(x.sort.width)-1), r.small("the lower bit", 0, int64(x.sort.width)-1)
		if lo > hi {
			r.fail("the slice from bit %d to %d is empty", hi, lo)
		}
		r.same(sort{width: hi - lo + 1}, to)
		return value{sort: to, terms: []term.ID{s.Extract(t, hi, lo)}}
	case "uext", "sext":
		to := r.bits()
		x := r.operand()
		t := r.wantBits(x)
		w := x.sort.width + r.small("the number of bits", 0, maxWidth)
		r.same(sort{width: w}, to)
		if op == "uext" {
			t = s.ZExt(t, w)
		} else {
			t = s.SExt(t, w)
		}
		return value{sort: to, terms: []term.ID{t}}
	}
	arity, ok := arities[op]
	if !ok {
		r.fail("%q is not an operation", op)
	}
	to := r.sort()
	var args [3]value
	for i := range arity {
		args[i] = r.operand()
	}
	v := r.apply(op, args[:arity])
	r.same(v.sort, to)
	return v
}

func (r *reader) variable(state bool) value {
	s := r.sort()
	n := r.elements(s)
	given := r.name()
	name := given
	if name == "" {
		name = "n" + strconv.FormatInt(r.last, 10)
	}
	v := value{sort: s}
	sym := Symbol{Name: given, IsArray: s.isArray, Index: s.index}
	for i := range n {
		element := name
		if s.isArray {
			element = fmt.Sprintf("%s[%d]", name, i)
		}
		if state {
			element = r.unique(element)
			sym.Vars = append(sym.Vars, len(r.system.States))
			t := r.store.Var(element, term.BitVec(s.width))
			r.system.States = append(r.system.States, ts.State{Term: t, Name: element})
			v.terms = append(v.terms, t)
		} else {
			k := r.input(element, s.width)
			sym.Vars = append(sym.Vars, k)
			v.terms = append(v.terms, r.system.Inputs[k].Term)
		}
	}
	if state {
		r.model.States = append(r.model.States, sym)
		v.state = len(r.model.States)
	} else {
		r.model.Inputs = append(r.model.Inputs, sym)
	}
	return v
}

// update reads init or next.
func (r *reader) update(op string) {
	s := r.sort()
	target, v := r.operand(), r.operand()
	if target.state == 0 {
		r.fail("%s of something that is not a state", op)
	}
	r.same(target.sort, s)
	if op == "init" && s.isArray && v.sort == (sort{width: s.width}) {
		v.terms = repeat(v.terms[0], len(target.terms)) // every element has the value
	} else {
		r.same(v.sort, s)
	}
	done := r.next
	if op == "init" {
		done = r.init
	}
	k := target.state - 1
	if done[k] {
		r.fail("a second %s of the state", op)
	}
	done[k] = true
	for i, at := range r.model.States[k].Vars {
		if op == "init" {
			r.system.States[at].Init = v.terms[i]
		} else {
			r.system.States[at].Next = v.terms[i]
		}
	}
}

func repeat(t term.ID, n int) []term.ID {
	ts := make([]term.ID, n)
	for i := range ts {
		ts[i] = t
	}
	return ts
}

func (r *reader) constant(op string, width uint32) bv.BV {
	switch op {
	case "zero":
		return bv.New(width, 0)
	case "one":
		return bv.New(width, 1)
	case "ones":
		return bv.New(width, 0).Not()
	}
	base := map[string]int{"const": 2, "constd": 10, "consth": 16}[op]
	w := r.word("the constant")
	n, ok := new(big.Int).SetString(w, base)
	if !ok || strings.HasPrefix(w, "+") || base != 10 && strings.HasPrefix(w, "-") {
		r.fail("%q is not a constant in base %d", w, base)
	}
	if op == "const" && len(w) != int(width) {
		r.fail("sort error: the constant has %d bits, the sort is bitvec %d", len(w), width)
	}
	limit := new(big.Int).Lsh(big.NewInt(1), uint(width))
	low := new(big.Int).Neg(new(big.Int).Rsh(limit, 1))
	if n.Cmp(limit) >= 0 || n.Cmp(low) < 0 {
		r.fail("sort error: the constant %s does not fit in %d bits", w, width)
	}
	return bv.FromBig(width, n.Mod(n, limit))
}
