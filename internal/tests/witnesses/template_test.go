package witnesses

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// This file reads the programs of testdata. They have marks:
//
//	@p3:x,y@   a place of witnesses, 3, with what is visible there
//	@s3@       what a claim about it says is evaluated here, before a statement; @h3@: before a condition
//	@r1:x@ … @q1@)@e@   a call whose result a claim is about; witnesses mean its closing parenthesis
//	@t7@       a target
type template struct {
	name     string
	holds    bool
	property string
	text     string // without marks
	native   string // with HOOK, RET and TARGET in their place
	places   map[int]*place
	order    []int // of the places
	inputs   int
	targets  []int
	reset    string // what gives globals their initial values
}

// place is a place of witnesses.
type place struct {
	id           int
	line, column int
	visible      []string
	loop, call   bool
	hooked       bool // what a claim says is evaluated
}

var marks = regexp.MustCompile(`@([psrqhte])(\d*)(?::([^@]*))?@`)

func read(t *testing.T, file string) *template {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, body, _ := strings.Cut(string(raw), "\n")
	words := strings.Fields(strings.TrimPrefix(first, "//"))
	p := &template{name: filepath.Base(file), holds: words[0] == "true", property: words[1], reset: strings.Join(words[2:], " "), places: map[int]*place{}}
	var text, native strings.Builder
	rest, call := body, 0
	at := func(id int) *place {
		if p.places[id] == nil {
			p.places[id] = &place{id: id}
			p.order = append(p.order, id)
		}
		return p.places[id]
	}
	for {
		m := marks.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		text.WriteString(rest[:m[0]])
		native.WriteString(rest[:m[0]])
		id := 0
		if m[4] < m[5] {
			id, _ = strconv.Atoi(rest[m[4]:m[5]])
		}
		var visible []string
		if m[6] >= 0 && m[6] < m[7] {
			visible = strings.Split(rest[m[6]:m[7]], ",")
		}
		here := func(x *place) {
			done := text.String()
			x.line = strings.Count(done, "\n") + 1
			x.column = len(done) - strings.LastIndexByte(done, '\n')
		}
		kind := rest[m[2]:m[3]]
		rest = rest[m[1]:]
		switch kind {
		case "p":
			x := at(id)
			x.visible = visible
			here(x)
			x.loop = strings.HasPrefix(rest, "while") || strings.HasPrefix(rest, "for") || strings.HasPrefix(rest, "do")
		case "s":
			at(id).hooked = true
			fmt.Fprintf(&native, "HOOK(%d); ", id)
		case "h":
			at(id).hooked = true
			fmt.Fprintf(&native, "HOOK(%d),", id)
		case "r":
			x := at(id)
			x.visible, x.call, x.hooked = visible, true, true
			p.inputs++
			call = id
			native.WriteString("({ __auto_type result_ = ")
		case "q":
			here(at(id))
		case "e":
			fmt.Fprintf(&native, "; HOOK(%d); result_; })", call)
		case "t":
			p.targets = append(p.targets, id)
			fmt.Fprintf(&native, "target = %d, ", id)
		}
	}
	text.WriteString(rest)
	native.WriteString(rest)
	p.text, p.native = text.String(), native.String()
	return p
}

// placed is the place at a line and column.
func (p *template) placed(line, column int, call bool) *place {
	for _, id := range p.order {
		if x := p.places[id]; x.line == line && x.column == column && x.call == call {
			return x
		}
	}
	return nil
}
