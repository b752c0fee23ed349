package ir

// What values and blocks are called in the text form, and which numbers may be
// left out because the parser finds them by itself.

import (
	"strconv"
	"strings"
)

// begin prepares labels and decides which constants are written inline: those
// that are the first of their kind in the function.
func (p *printer) begin(f *Func) {
	p.f, p.numberVoids = f, false
	p.labels = make([]string, len(f.Blocks))
	used := map[string]bool{}
	for b := 1; b < len(f.Blocks); b++ {
		l := "b" + strconv.Itoa(b)
		if n := f.Blocks[b].Name; plainName.MatchString(n) && !isNumberedLabel(n) && !used[n] {
			l = n
		}
		used[l] = true
		p.labels[b] = l
	}
	p.inline = make([]bool, len(f.Values))
	first := map[constKey]bool{}
	for v := range f.Values {
		if d := &f.Values[v]; IsConst(d.Op) && !first[keyOf(d)] {
			first[keyOf(d)] = true
			p.inline[v] = true
		}
	}
}

// isNumberedLabel says whether a label is of the form that nameless blocks have.
func isNumberedLabel(s string) bool {
	return len(s) > 1 && s[0] == 'b' && strings.Trim(s[1:], "0123456789") == ""
}

// numbersAreImplied says whether the parser would give every value its number
// if constants, or instructions without result, show none.
func (p *printer) numbersAreImplied(constants, numberVoids bool) bool {
	f := p.f
	taken := make([]bool, len(f.Values)+1)
	for v := range f.Values {
		d := &f.Values[v]
		switch {
		case IsConst(d.Op):
			taken[v] = !constants
		case d.Op != OpInvalid:
			taken[v] = d.HasResult() || numberVoids
		}
		if constants && IsConst(d.Op) && (!p.inline[v] || d.Pos != Pos{}) {
			return false
		}
	}
	next, seen := 1, make([]bool, len(f.Values))
	implied := func(v Value) bool {
		if seen[v] || taken[v] {
			return true
		}
		for taken[next] {
			next++
		}
		seen[v] = true
		next++
		return int(v) == next-1
	}
	for b := range f.Blocks {
		for _, i := range f.Blocks[b].Instrs {
			for _, a := range f.Values[i].Args {
				if IsConst(f.Values[a].Op) && !implied(a) {
					return false
				}
			}
			if !implied(i) {
				return false
			}
		}
	}
	for v := range f.Values { // an unused constant would be lost
		if IsConst(f.Values[v].Op) && !taken[v] && !seen[v] {
			return false
		}
	}
	return true
}
