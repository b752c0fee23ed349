package ir

// The parser of the text form (print.go describes it). Beyond what the printer
// writes it accepts names instead of numbers for values (%sum), labels of any
// name, negative integers, and blocks without predecessors written down; so that
// tests can be written by hand.

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"assay/internal/logic/bv"
)

// Limits on what a short text can make the parser allocate.
const (
	maxBits = 1 << 16 // of an integer type
	maxInit = 1 << 27 // bytes of an initialiser
)

// Parse reads a module. Errors are of type *ParseError. The result is well-formed
// as a text only; Verify says whether it is a valid module.
func Parse(src string) (m *Module, err error) {
	p := &parser{m: &Module{}, lines: strings.Split(src, "\n")}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *ParseError: // thrown by failAt
			m, err = nil, e
		default:
			panic(e)
		}
	}()
	p.module()
	return p.m, nil
}

// parser reads line by line. toks is the current line, i the next token.
type parser struct {
	m     *Module
	lines []string
	line  int // number of the current line, from 1
	toks  []token
	i     int

	// symbols are inline operands that turn out to be globals or functions when
	// all lines have been read.
	symbols []symbolUse
}

type symbolUse struct {
	def       *Def
	line, col int
}

func (p *parser) failAt(line, col int, format string, args ...any) {
	panic(&ParseError{line, col, fmt.Sprintf(format, args...)})
}

func (p *parser) failf(format string, args ...any) {
	p.failAt(p.line, p.peek().col, format, args...)
}

// next goes to the next line that is not empty, and says whether there is one.
func (p *parser) next() bool {
	for p.line < len(p.lines) {
		p.line++
		toks, err := lex(p.lines[p.line-1], p.line, p.toks[:0])
		if err != nil {
			panic(err)
		}
		p.toks, p.i = toks, 0
		if len(toks) > 1 {
			return true
		}
	}
	p.toks, p.i = []token{{col: 1}}, 0
	return false
}

func (p *parser) peek() token { return p.toks[p.i] }

func (p *parser) take() token {
	t := p.toks[p.i]
	if t.kind != tokEnd {
		p.i++
	}
	return t
}

// is says whether the next token is that punctuation mark or word, and if so
// takes it.
func (p *parser) is(text string) bool {
	t := p.peek()
	if (t.kind == tokPunct || t.kind == tokWord) && t.text == text {
		p.i++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.is(text) {
		p.failf("expected %q, found %s", text, p.peek())
	}
}

func (p *parser) want(kind tokenKind, what string) string {
	if p.peek().kind != kind {
		p.failf("expected %s, found %s", what, p.peek())
	}
	return p.take().text
}

func (p *parser) endOfLine() {
	if p.peek().kind != tokEnd {
		p.failf("unexpected %s", p.peek())
	}
}

func (p *parser) uint(bits int) uint64 {
	at := p.i
	n, err := strconv.ParseUint(p.want(tokNumber, "a number"), 10, bits)
	if err != nil {
		p.i = at
		p.failf("%s is no number of %d bits", p.peek(), bits)
	}
	return n
}

func (p *parser) int(bits int) int64 {
	at := p.i
	n, err := strconv.ParseInt(p.want(tokNumber, "a number"), 10, bits)
	if err != nil {
		p.i = at
		p.failf("%s is no number of %d bits", p.peek(), bits)
	}
	return n
}

func (p *parser) pos() Pos {
	if p.peek().kind != tokPos {
		return Pos{}
	}
	parts := strings.Split(p.peek().text, ":")
	var n [3]int32
	for i, s := range parts {
		x, err := strconv.ParseInt(s, 10, 32)
		if err != nil || len(parts) != 3 {
			p.failf("a position is !file:line:column")
		}
		n[i] = int32(x)
	}
	p.i++
	return Pos{n[0], n[1], n[2]}
}

// isType says whether the next token is a type of values.
func (p *parser) isType() bool {
	t := p.peek()
	if t.kind != tokWord {
		return false
	}
	return t.text == "ptr" || len(t.text) > 1 && (t.text[0] == 'i' || t.text[0] == 'f') && span(t.text[1:], isDigit) == len(t.text)-1
}

func (p *parser) valueType() Type {
	if !p.isType() {
		p.failf("expected a type, found %s", p.peek())
	}
	s := p.peek().text
	if s == "ptr" {
		p.i++
		return p.m.PtrType()
	}
	n, err := strconv.ParseUint(s[1:], 10, 32)
	t := Type{Int, uint32(n)}
	if s[0] == 'f' {
		t.Kind = Float
	}
	if err != nil || n == 0 || n > maxBits || t.Kind == Float && n != 16 && n != 32 && n != 64 {
		p.failf("no such type: %s", s)
	}
	p.i++
	return t
}

func (p *parser) module() {
	if !p.next() {
		p.failf("empty text")
	}
	p.expect("module")
	p.m.PointerBits = uint32(p.uint(32))
	if p.m.PointerBits != 32 && p.m.PointerBits != 64 {
		p.failf("a module has 32 or 64 bits")
	}
	p.expect("entry")
	p.m.Entry = p.want(tokSymbol, "a symbol")
	p.m.Optimized = p.is("optimized")
	p.endOfLine()
	more := p.next()
	for more {
		switch {
		case p.is("file"):
			p.m.Files = append(p.m.Files, p.want(tokString, "a string"))
		case p.is("constructor"):
			p.m.Constructors = append(p.m.Constructors, p.want(tokSymbol, "a symbol"))
		case p.is("global"):
			p.m.Globals = append(p.m.Globals, p.global())
		case p.is("reloc"):
			p.reloc()
		case p.is("declare"), p.is("func"):
			f := &funcParser{parser: p}
			p.m.Funcs = append(p.m.Funcs, f.parse())
		default:
			p.failf("expected file, constructor, global, reloc, declare or func, found %s", p.peek())
		}
		p.endOfLine()
		more = p.next()
	}
	index := p.m.Index()
	for _, u := range p.symbols {
		switch {
		case index.Funcs[u.def.Sym] != nil:
			u.def.Op = FuncAddr
		case index.Globals[u.def.Sym] == nil:
			p.failAt(u.line, u.col, "undefined @%s", u.def.Sym)
		}
	}
}

// layoutWord reads one attribute of a layout if there is one.
func (p *parser) layoutWord(l *Layout) bool {
	switch {
	case p.is("stride"):
		l.Stride = p.uint(64)
	case p.is("cell"):
		l.Cell = p.uint(64)
	case p.is("pointers"):
		l.Pointers = true
	default:
		return false
	}
	return true
}

func (p *parser) global() *Global {
	g := &Global{Name: p.want(tokSymbol, "a symbol")}
	p.expect("size")
	g.Size = p.uint(64)
	for {
		switch {
		case p.is("align"):
			g.Align = p.uint(64)
		case p.is("const"):
			g.Constant = true
		case p.is("external"):
			g.External = true
		case p.is("cname"):
			g.CName = p.want(tokString, "a string")
		case p.is("type"):
			g.CType = p.ctype()
		case p.is("init"):
			s := p.want(tokString, "a string")
			if uint64(len(s)) > g.Size || g.Size > maxInit {
				p.failf("initialiser does not fit, or is too long")
			}
			g.Init = make([]byte, g.Size)
			copy(g.Init, s)
		case p.is("counter"):
			g.Counter = p.want(tokSymbol, "a symbol")
		case p.layoutWord(&g.Layout):
		default:
			g.Pos = p.pos()
			return g
		}
	}
}

func (p *parser) ctype() (t CType) {
	t.Name = p.want(tokString, "a string")
	t.Bits = uint32(p.uint(32))
	t.Signed = p.is("signed")
	t.Float = p.is("float")
	t.Ptr = p.is("pointer")
	t.Bool = p.is("bool")
	return t
}

func (p *parser) reloc() {
	if len(p.m.Globals) == 0 {
		p.failf("relocation before any global")
	}
	g := p.m.Globals[len(p.m.Globals)-1]
	r := Reloc{Offset: p.uint(64)}
	if !p.is("null") {
		r.Target = p.want(tokSymbol, "a symbol or null")
	}
	r.Addend = p.int(64)
	g.Relocs = append(g.Relocs, r)
}

// literal reads the value of a Const of type t.
func (p *parser) literal(t Type) bv.BV {
	at := p.i
	s := p.want(tokNumber, "a number")
	if t.Kind == Float && !strings.HasPrefix(s, "0x") {
		x, err := strconv.ParseFloat(s, int(t.Bits))
		if err == nil && t.Bits == 32 {
			return bv.New(32, uint64(math.Float32bits(float32(x))))
		}
		if err == nil && t.Bits == 64 {
			return bv.New(64, math.Float64bits(x))
		}
		p.i = at
		p.failf("%s is no literal of type %s", p.peek(), t)
	}
	n, ok := new(big.Int).SetString(s, 0)
	if !ok || n.BitLen() > int(t.Bits) {
		p.i = at
		p.failf("%s is no literal of type %s", p.peek(), t)
	}
	return bv.FromBig(t.Bits, n)
}
