package aiger

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"assay/internal/finite/ts"
)

type reader struct {
	text   []byte
	at     int
	line   int // of the text at at, from 1
	binary bool
	m      *Model
	// kind says what defines a variable: 0, i, l, or a.
	kind []byte
	// Lines of the literals that are checked when everything is defined.
	uses []use
	and  []int // line, or byte in a binary file, of each gate
}

type use struct {
	lit  uint32
	line int
}

// fault is what the methods of reader panic with; Read recovers it.
type fault struct{ err error }

func (r *reader) failAt(line int, format string, args ...any) {
	panic(fault{&ts.SyntaxError{Line: line, What: fmt.Sprintf(format, args...)}})
}

func (r *reader) failByte(offset int, format string, args ...any) {
	panic(fault{&ts.SyntaxError{Offset: int64(offset), What: fmt.Sprintf(format, args...)}})
}

// Read parses a file in either form. The error is a *ts.SyntaxError.
func Read(text []byte) (m *Model, err error) {
	r := &reader{text: text, m: &Model{Symbols: map[Symbol]string{}}}
	defer func() {
		if p := recover(); p != nil {
			f, ok := p.(fault)
			if !ok {
				panic(p)
			}
			m, err = nil, f.err
		}
	}()
	r.model()
	return r.m, nil
}

// next is the next line, without its end.
func (r *reader) next(what string) string {
	r.line++
	if r.at >= len(r.text) {
		r.failAt(r.line, "the file ends where %s is expected", what)
	}
	end := bytes.IndexByte(r.text[r.at:], '\n')
	if end < 0 {
		end = len(r.text) - r.at
	}
	s := string(r.text[r.at : r.at+end])
	r.at = min(r.at+end+1, len(r.text))
	return strings.TrimSuffix(s, "\r")
}

// numbers is a line of between least and most numbers.
func (r *reader) numbers(what string, least, most int) []uint32 {
	fields := strings.Fields(r.next(what))
	if len(fields) < least || len(fields) > most {
		r.failAt(r.line, "%d numbers where %s is expected", len(fields), what)
	}
	out := make([]uint32, len(fields))
	for i, f := range fields {
		n, err := strconv.ParseUint(f, 10, 32)
		if err != nil {
			r.failAt(r.line, "%q is not a number; %s is expected", f, what)
		}
		out[i] = uint32(n)
	}
	return out
}

// lit checks the range of a literal and remembers to check its definition.
func (r *reader) lit(l uint32) uint32 {
	if l>>1 > r.m.MaxVar {
		r.failAt(r.line, "the literal %d is out of range: the header has %d variables", l, r.m.MaxVar)
	}
	r.uses = append(r.uses, use{l, r.line})
	return l
}

// define notes what a variable is.
func (r *reader) define(l uint32, kind byte) {
	what := map[byte]string{'i': "an input", 'l': "a latch", 'a': "a gate"}
	switch {
	case l&1 == 1 || l == 0:
		r.failAt(r.line, "%s has the literal %d, which must be positive and no constant", what[kind], l)
	case l>>1 > r.m.MaxVar:
		r.failAt(r.line, "the literal %d is out of range: the header has %d variables", l, r.m.MaxVar)
	case r.kind[l>>1] != 0:
		r.failAt(r.line, "the literal %d is defined a second time", l)
	}
	r.kind[l>>1] = kind
}

func (r *reader) model() {
	m := r.m
	fields := strings.Fields(r.next("the header"))
	if len(fields) == 0 || fields[0] != "aag" && fields[0] != "aig" {
		r.failAt(1, "no header of an AIGER file: it starts with aag or aig")
	}
	r.binary = fields[0] == "aig"
	if len(fields) < 6 || len(fields) > 10 {
		r.failAt(1, "the header has %d numbers and not between 5 and 9: M I L O A [B C J F]", len(fields)-1)
	}
	var h [9]uint32
	for i, f := range fields[1:] {
		n, err := strconv.ParseUint(f, 10, 31)
		if err != nil {
			r.failAt(1, "%q in the header is not a number below 2^31", f)
		}
		h[i] = uint32(n)
	}
	// Every definition takes a byte at least, so a header cannot ask for more
	// memory than a small multiple of the file; unused variables are the
	// exception, and bounded.
	inputs, latches, ands := uint64(h[1]), uint64(h[2]), uint64(h[4])
	size := uint64(len(r.text))
	if m.MaxVar = h[0]; uint64(m.MaxVar) < inputs+latches+ands {
		r.failAt(1, "the header has %d variables, less than inputs, latches and gates together", m.MaxVar)
	}
	if r.binary && uint64(m.MaxVar) != inputs+latches+ands {
		r.failAt(1, "in a binary file the number of variables %d must be that of inputs, latches and gates, %d", m.MaxVar, inputs+latches+ands)
	}
	if latches+ands+uint64(h[3])+uint64(h[5])+uint64(h[6])+uint64(h[7])+uint64(h[8]) > size || !r.binary && inputs > size || inputs > 1<<26 || uint64(m.MaxVar) > size+1<<26 {
		r.failAt(1, "the header promises more than the file of %d bytes can have", size)
	}
	r.kind = make([]byte, m.MaxVar+1)
	for i := range h[1] {
		l := 2 * (i + 1)
		if !r.binary {
			l = r.numbers("an input", 1, 1)[0]
		}
		r.define(l, 'i')
		m.Inputs = append(m.Inputs, l)
	}
	for i := range h[2] {
		l := 2 * (h[1] + i + 1)
		var rest []uint32
		if r.binary {
			rest = r.numbers("a latch: next [reset]", 1, 2)
		} else {
			ns := r.numbers("a latch: literal next [reset]", 2, 3)
			l, rest = ns[0], ns[1:]
		}
		r.define(l, 'l')
		latch := Latch{Lit: l, Next: r.lit(rest[0])}
		if len(rest) > 1 {
			latch.Reset = r.lit(rest[1])
		}
		m.Latches = append(m.Latches, latch)
	}
	list := func(n uint32, what string) []uint32 {
		var ls []uint32
		for range n {
			ls = append(ls, r.lit(r.numbers(what, 1, 1)[0]))
		}
		return ls
	}
	m.Outputs = list(h[3], "an output")
	m.Bad = list(h[5], "a bad state literal")
	m.Constraints = list(h[6], "a constraint")
	var sizes []uint32
	for range h[7] {
		n := r.numbers("the size of a justice property", 1, 1)[0]
		if uint64(n) > size {
			r.failAt(r.line, "a justice property of %d literals in a file of %d bytes", n, size)
		}
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		m.Justice = append(m.Justice, list(n, "a literal of a justice property"))
	}
	m.Fair = list(h[8], "a fairness constraint")
	if r.binary {
		r.deltas(h[4])
	} else {
		for range h[4] {
			ns := r.numbers("a gate: literal operand operand", 3, 3)
			r.define(ns[0], 'a')
			m.Ands = append(m.Ands, And{ns[0], r.lit(ns[1]), r.lit(ns[2])})
			r.and = append(r.and, r.line)
		}
	}
	for _, u := range r.uses {
		if v := u.lit >> 1; v != 0 && r.kind[v] == 0 {
			r.failAt(u.line, "the literal %d is used but nothing defines it", u.lit)
		}
	}
	if _, cycle := m.order(); cycle != 0 {
		for i, a := range m.Ands {
			if a.Out == cycle {
				r.failAt(r.and[i], "the gate %d depends on itself", cycle)
			}
		}
	}
	r.resets()
	r.symbols()
}

// deltas reads the gates of a binary file.
func (r *reader) deltas(n uint32) {
	m := r.m
	first := uint32(len(m.Inputs)+len(m.Latches)) + 1
	for i := range n {
		out := 2 * (first + i)
		r.kind[out>>1] = 'a'
		start := r.at
		d0 := r.delta()
		if d0 == 0 || d0 > out {
			r.failByte(start, "the gate %d has the first difference %d", out, d0)
		}
		a := out - d0
		start = r.at
		d1 := r.delta()
		if d1 > a {
			r.failByte(start, "the gate %d has the second difference %d", out, d1)
		}
		m.Ands = append(m.Ands, And{out, a, a - d1})
	}
}

func (r *reader) delta() uint32 {
	var x uint64
	start := r.at
	for shift := 0; ; shift += 7 {
		if r.at >= len(r.text) {
			r.failByte(r.at, "the file ends within the gates")
		}
		b := r.text[r.at]
		r.at++
		x |= uint64(b&0x7f) << shift
		if x > 1<<32-1 || shift > 28 {
			r.failByte(start, "a difference of more than 32 bits")
		}
		if b < 0x80 {
			return uint32(x)
		}
	}
}

// resets checks that no reset depends on itself.
func (r *reader) resets() {
	m := r.m
	functional := false
	for _, l := range m.Latches {
		functional = functional || l.Reset > 1 && l.Reset != l.Lit
	}
	if !functional {
		return
	}
	if err := m.System().Check(); err != nil {
		r.failAt(1, "%v", err)
	}
}

// symbols reads the symbol table; the comments are dropped.
func (r *reader) symbols() {
	m := r.m
	count := map[byte]int{
		'i': len(m.Inputs), 'l': len(m.Latches), 'o': len(m.Outputs), 'b': len(m.Bad),
		'c': len(m.Constraints), 'j': len(m.Justice), 'f': len(m.Fair),
	}
	for r.at < len(r.text) {
		start := r.at
		s := r.next("a symbol")
		if s == "c" || s == "" && r.at >= len(r.text) {
			return
		}
		fail := func(format string, args ...any) {
			if r.binary {
				r.failByte(start, format, args...)
			}
			r.failAt(r.line, format, args...)
		}
		number, name, _ := strings.Cut(s, " ")
		if number == "" {
			fail("an empty line where a symbol is expected")
		}
		n, known := count[number[0]]
		i, err := strconv.Atoi(number[1:])
		if !known || err != nil || i < 0 || i >= n {
			fail("%q does not name an input, latch, or property", number)
		}
		m.Symbols[Symbol{number[0], i}] = name
	}
}
