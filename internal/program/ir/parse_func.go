package ir

import (
	"math/big"
	"strconv"

	"assay/internal/run/lazyregexp"
)

// funcParser reads one function. Until its end is reached values have
// provisional numbers, in the order of their first mention; then those with a
// written number get it, the others the smallest free ones.
type funcParser struct {
	*parser
	f *Func

	byName   map[string]Value // provisional numbers of %x
	byConst  map[constKey]Value
	values   []provisional // indexed by provisional number
	defined  []Value       // provisional numbers in the order of definition
	least    int           // Values has at least this many, after index 0
	blocks   map[string]BlockID
	mentions []mention // labels, resolved at the end
	phis     []phiArgs
	preds    map[BlockID][]int // indexes of mentions
	cases    []*big.Int        // of the current line
}

type provisional struct {
	def       Def
	cases     []*big.Int // of a switch, whose width is known at the end
	isDefined bool
	number    Value // as written, 0 if not
	name      string
	line, col int // of the first mention
}

type mention struct {
	label     string
	line, col int
}

type phiArgs struct {
	phi  Value // provisional
	args []Value
	from []int // indexes of mentions
}

var opsByName = func() map[string]Op {
	ops := map[string]Op{}
	for op := Const; op < opMax; op++ {
		ops[opNames[op]] = op
	}
	return ops
}()

// numeral matches the value names that are numbers.
var numeral = lazyregexp.New(`^[1-9][0-9]{0,8}$`)

// parse reads a function from after the keyword to its closing brace.
func (p *funcParser) parse() *Func {
	p.byName, p.byConst = map[string]Value{}, map[constKey]Value{}
	p.blocks, p.preds = map[string]BlockID{}, map[BlockID][]int{}
	p.values = make([]provisional, 1)
	p.f = &Func{Name: p.want(tokSymbol, "a symbol")}
	p.expect("(")
	for !p.is(")") {
		if len(p.f.Params) > 0 {
			p.expect(",")
		}
		if p.is("...") {
			p.f.Variadic = true
			p.expect(")")
			break
		}
		v := p.definee()
		p.expect(":")
		d := Def{Op: Param, Type: p.valueType()}
		d.Pos = p.pos()
		p.define(v, d)
		p.f.Params = append(p.f.Params, v)
	}
	if p.is("->") {
		p.f.Results = append(p.f.Results, p.valueType())
		for p.is(",") {
			p.f.Results = append(p.f.Results, p.valueType())
		}
	}
	p.f.Model = p.is("model")
	p.f.Pos = p.pos()
	if p.is("{") {
		p.endOfLine()
		p.body()
	}
	p.finish()
	return p.f
}

func (p *funcParser) body() {
	for {
		if !p.next() {
			p.failf("function without closing brace")
		}
		switch last := p.toks[len(p.toks)-2]; {
		case p.is("}"):
			return
		case last.kind == tokPunct && last.text == ":":
			p.block()
		case p.is("var"):
			p.variable()
		case p.is("values"):
			p.least = int(p.uint(24))
		default:
			p.instr()
		}
		p.endOfLine()
	}
}

func (p *funcParser) variable() {
	v := Var{Name: p.want(tokString, "a string"), Type: p.ctype()}
	v.Pos = p.pos()
	p.f.Vars = append(p.f.Vars, v)
}

func (p *funcParser) block() {
	at := p.peek()
	label := p.want(tokWord, "a label")
	if p.blocks[label] != 0 {
		p.failAt(p.line, at.col, "label %s is defined twice", label)
	}
	b := Block{}
	if p.peek().kind == tokString {
		b.Name = p.take().text
	} else if !isNumberedLabel(label) {
		b.Name = label
	}
	if p.f.Blocks == nil {
		p.f.Blocks = make([]Block, 1)
	}
	p.f.Blocks = append(p.f.Blocks, b)
	id := BlockID(len(p.f.Blocks) - 1)
	p.blocks[label] = id
	if p.is("preds") {
		p.preds[id] = append(p.preds[id], p.labelUse())
		for p.is(",") {
			p.preds[id] = append(p.preds[id], p.labelUse())
		}
	}
	p.expect(":")
}

// labelUse reads a label and returns the index of its mention.
func (p *funcParser) labelUse() int {
	m := mention{line: p.line, col: p.peek().col}
	m.label = p.want(tokWord, "a label")
	p.mentions = append(p.mentions, m)
	return len(p.mentions) - 1
}

// value is the provisional number of the name %x.
func (p *funcParser) value(t token) Value {
	v, ok := p.byName[t.text]
	if !ok {
		v = Value(len(p.values))
		q := provisional{name: t.text, line: p.line, col: t.col}
		if numeral.MatchString(t.text) {
			n, _ := strconv.Atoi(t.text)
			q.number = Value(n)
		} else if isDigit(t.text[0]) {
			p.failAt(p.line, t.col, "%%%s is neither a number nor a name", t.text)
		}
		p.values = append(p.values, q)
		p.byName[t.text] = v
	}
	return v
}

// definee reads the name of the value that the line defines.
func (p *funcParser) definee() Value {
	if p.peek().kind != tokValue {
		p.failf("expected a value, found %s", p.peek())
	}
	t := p.take()
	v := p.value(t)
	if p.values[v].isDefined {
		p.failAt(p.line, t.col, "%%%s is defined twice", t.text)
	}
	return v
}

func (p *funcParser) define(v Value, d Def) {
	p.values[v].def, p.values[v].isDefined = d, true
	p.defined = append(p.defined, v)
}

// shared is the constant d, made where it is first mentioned.
func (p *funcParser) shared(d Def, col int) Value {
	k := keyOf(&d)
	v, ok := p.byConst[k]
	if !ok {
		v = p.anonymous(col)
		p.define(v, d)
		p.byConst[k] = v
	}
	return v
}

func (p *funcParser) anonymous(col int) Value {
	p.values = append(p.values, provisional{line: p.line, col: col})
	return Value(len(p.values) - 1)
}

// operand reads a use of a value: %x, a literal with its type, null or @x.
func (p *funcParser) operand() Value {
	switch t := p.peek(); {
	case t.kind == tokValue:
		p.i++
		return p.value(t)
	case t.kind == tokSymbol:
		p.i++
		k := constKey{op: FuncAddr, t: p.m.PtrType(), text: t.text}
		if v, ok := p.byConst[k]; ok { // declared on a line of its own
			return v
		}
		return p.shared(Def{Op: GlobalAddr, Type: p.m.PtrType(), Sym: t.text}, t.col)
	case p.is("null"):
		return p.shared(Def{Op: Null, Type: p.m.PtrType()}, t.col)
	case p.isType():
		typ := p.valueType()
		return p.shared(Def{Op: Const, Type: typ, Const: p.literal(typ)}, t.col)
	default:
		p.failf("expected an operand, found %s", t)
		return 0
	}
}

// constant reads what follows the mnemonic of a constant on a line of its own.
func (p *funcParser) constant(v Value, op Op) {
	d := Def{Op: op, Type: p.m.PtrType()}
	switch op {
	case Const:
		d.Type = p.valueType()
		d.Const = p.literal(d.Type)
	case GlobalAddr, FuncAddr:
		d.Sym = p.want(tokSymbol, "a symbol")
	}
	d.Pos = p.pos()
	p.define(v, d)
	if k := keyOf(&d); p.byConst[k] == 0 {
		p.byConst[k] = v
	}
}

func (p *funcParser) instr() {
	var v Value
	if p.peek().kind == tokValue {
		v = p.definee()
		p.expect("=")
	}
	at := p.peek()
	op := opsByName[p.want(tokWord, "an instruction")]
	if op == OpInvalid {
		p.failAt(p.line, at.col, "no such instruction: %s", at.text)
	}
	if IsConst(op) {
		if v == 0 {
			p.failAt(p.line, at.col, "%s needs a name", op)
		}
		p.constant(v, op)
		return
	}
	if len(p.f.Blocks) == 0 {
		p.failAt(p.line, at.col, "instruction before the first block")
	}
	block := BlockID(len(p.f.Blocks) - 1)
	sig := signatures[op]
	d := Def{Op: op, Block: block}
	if sig.result != '-' && !(sig.result == '*' && p.is("void")) {
		d.Type = p.valueType()
	}
	if v == 0 && d.HasResult() {
		p.failAt(p.line, at.col, "the result of %s needs a name", op)
	}
	p.mode(&d, sig)
	switch op {
	case Call:
		p.call(&d)
	case Phi:
		p.phi(v)
	default:
		p.operands(&d, sig)
	}
	if sig.sym == symText && (op != Nondet && op != Havoc && op != Alloca && op != Malloc || p.peek().kind == tokString) {
		d.Sym = p.want(tokString, "a string")
	}
	if sig.aux == auxAlign && p.is("align") {
		d.Aux = p.int(64)
	}
	for p.layoutWord(&d.Layout) {
	}
	d.Pos = p.pos()
	if v == 0 {
		v = p.anonymous(at.col)
	}
	p.define(v, d)
	p.values[v].cases, p.cases = p.cases, nil
	blk := &p.f.Blocks[block]
	blk.Instrs = append(blk.Instrs, v)
}

// mode reads the word or number that follows the mnemonic.
func (p *funcParser) mode(d *Def, sig signature) {
	word := func(names []string) {
		for i, n := range names {
			if p.is(n) {
				d.Aux = int64(i)
				return
			}
		}
		p.failf("no such mode of %s: %s", d.Op, p.peek())
	}
	switch sig.aux {
	case auxCheck:
		word(checkNames[:])
	case auxRounding:
		word(roundingNames[:])
	case auxNondet:
		word(nondetNames[:])
	case auxHalt:
		word(haltNames[:])
	case auxCede:
		if p.is("cede") {
			d.Aux = Cede
		}
	case auxHavoc:
		if p.is("indeterminate") {
			d.Aux = Indeterminate
		}
	case auxVar:
		d.Aux = p.int(64)
	}
}

func (p *funcParser) call(d *Def) {
	switch {
	case p.peek().kind == tokSymbol:
		d.Sym = p.take().text
	case p.is("("): // a call through a constant
		d.Args = append(d.Args, p.operand())
		p.expect(")")
	default:
		d.Args = append(d.Args, p.operand())
	}
	p.expect("(")
	for i := 0; !p.is(")"); i++ {
		if i > 0 {
			p.expect(",")
		}
		d.Args = append(d.Args, p.operand())
	}
}

func (p *funcParser) phi(v Value) {
	a := phiArgs{phi: v}
	for p.is("[") {
		a.args = append(a.args, p.operand())
		p.expect(",")
		a.from = append(a.from, p.labelUse())
		p.expect("]")
		if !p.is(",") {
			break
		}
	}
	p.phis = append(p.phis, a)
}

// operands reads the operands, then the labels of a terminator, then an index.
func (p *funcParser) operands(d *Def, sig signature) {
	least, most := sig.arity()
	labels := 0
	switch d.Op {
	case Br:
		labels = 1
	case CondBr:
		labels = 2
	case Switch:
		labels = -1
	}
	first := sig.aux != auxVar // no comma is due
	comma := func() bool {
		ok := first || p.is(",")
		first = false
		return ok
	}
	for i := 0; i != most; i++ {
		if most < 0 && i == 0 && (p.peek().kind == tokEnd || p.peek().kind == tokPos) {
			break // ret without results
		}
		if !comma() {
			if most < 0 || i >= least {
				break
			}
			p.expect(",")
		}
		d.Args = append(d.Args, p.operand())
	}
	for i := 0; i != labels; i++ {
		if !comma() {
			if labels < 0 {
				break
			}
			p.expect(",")
		}
		if d.Op == Switch && i > 0 {
			c, ok := new(big.Int).SetString(p.want(tokNumber, "a number"), 0)
			if !ok {
				p.failf("malformed number")
			}
			p.cases = append(p.cases, c)
			p.expect(":")
		}
		d.Succs = append(d.Succs, BlockID(p.labelUse()))
	}
	if sig.aux == auxIndex {
		p.expect(",")
		d.Aux = p.int(64)
	}
}
