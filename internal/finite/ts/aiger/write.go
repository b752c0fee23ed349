package aiger

import (
	"bufio"
	"fmt"
	"io"
	"sort"
)

// header writes the first line, without the sections of AIGER 1.9 if they are empty.
func (m *Model) header(w io.Writer, magic string) {
	fmt.Fprintf(w, "%s %d %d %d %d %d", magic, m.MaxVar, len(m.Inputs), len(m.Latches), len(m.Outputs), len(m.Ands))
	counts := []int{len(m.Bad), len(m.Constraints), len(m.Justice), len(m.Fair)}
	for len(counts) > 0 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	for _, n := range counts {
		fmt.Fprintf(w, " %d", n)
	}
	fmt.Fprintln(w)
}

func (m *Model) properties(w io.Writer) {
	for _, list := range [][]uint32{m.Outputs, m.Bad, m.Constraints} {
		for _, l := range list {
			fmt.Fprintln(w, l)
		}
	}
	for _, j := range m.Justice {
		fmt.Fprintln(w, len(j))
	}
	for _, j := range m.Justice {
		for _, l := range j {
			fmt.Fprintln(w, l)
		}
	}
	for _, l := range m.Fair {
		fmt.Fprintln(w, l)
	}
}

func (m *Model) symbols(w io.Writer) {
	keys := make([]Symbol, 0, len(m.Symbols))
	for k := range m.Symbols {
		keys = append(keys, k)
	}
	const order = "ilobcjf"
	rank := func(b byte) int {
		for i := range order {
			if order[i] == b {
				return i
			}
		}
		return len(order)
	}
	sort.Slice(keys, func(i, j int) bool {
		if a, b := rank(keys[i].Kind), rank(keys[j].Kind); a != b {
			return a < b
		}
		return keys[i].Index < keys[j].Index
	})
	for _, k := range keys {
		fmt.Fprintf(w, "%c%d %s\n", k.Kind, k.Index, m.Symbols[k])
	}
}

func latchLine(w io.Writer, l Latch) {
	if l.Reset != 0 {
		fmt.Fprintf(w, "%d %d\n", l.Next, l.Reset)
	} else {
		fmt.Fprintf(w, "%d\n", l.Next)
	}
}

// WriteASCII writes the format aag.
func (m *Model) WriteASCII(to io.Writer) error {
	w := bufio.NewWriter(to)
	m.header(w, "aag")
	for _, l := range m.Inputs {
		fmt.Fprintln(w, l)
	}
	for _, l := range m.Latches {
		fmt.Fprintf(w, "%d ", l.Lit)
		latchLine(w, l)
	}
	m.properties(w)
	for _, a := range m.Ands {
		fmt.Fprintln(w, a.Out, a.A, a.B)
	}
	m.symbols(w)
	return w.Flush()
}

// WriteBinary writes the format aig, for which variables are renumbered: inputs,
// latches, gates with operands first.
func (m *Model) WriteBinary(to io.Writer) error {
	n := m.compact()
	w := bufio.NewWriter(to)
	n.header(w, "aig")
	for _, l := range n.Latches {
		latchLine(w, l)
	}
	n.properties(w)
	for _, a := range n.Ands {
		delta(w, a.Out-a.A)
		delta(w, a.A-a.B)
	}
	n.symbols(w)
	return w.Flush()
}

// delta writes seven bits a byte, the lowest first.
func delta(w *bufio.Writer, x uint32) {
	for x >= 0x80 {
		w.WriteByte(byte(x) | 0x80) // the error comes with Flush
		x >>= 7
	}
	w.WriteByte(byte(x))
}

// compact renumbers the variables as the binary format has them.
func (m *Model) compact() *Model {
	image := make([]uint32, m.MaxVar+1)
	next := uint32(0)
	fresh := func(l uint32) uint32 {
		next++
		image[l>>1] = 2 * next
		return 2 * next
	}
	of := func(l uint32) uint32 { return image[l>>1] | l&1 }
	all := func(ls []uint32) []uint32 {
		out := make([]uint32, 0, len(ls))
		for _, l := range ls {
			out = append(out, of(l))
		}
		return out
	}
	n := &Model{Symbols: m.Symbols}
	for _, l := range m.Inputs {
		n.Inputs = append(n.Inputs, fresh(l))
	}
	for _, l := range m.Latches {
		n.Latches = append(n.Latches, Latch{Lit: fresh(l.Lit)})
	}
	order, cycle := m.order()
	if cycle != 0 {
		panic("aiger: cycle")
	}
	for _, i := range order {
		a := m.Ands[i]
		x, y := of(a.A), of(a.B)
		n.Ands = append(n.Ands, And{fresh(a.Out), max(x, y), min(x, y)})
	}
	for i, l := range m.Latches {
		n.Latches[i].Next, n.Latches[i].Reset = of(l.Next), of(l.Reset)
	}
	n.Outputs, n.Bad, n.Constraints, n.Fair = all(m.Outputs), all(m.Bad), all(m.Constraints), all(m.Fair)
	for _, j := range m.Justice {
		n.Justice = append(n.Justice, all(j))
	}
	n.MaxVar = next
	return n
}
