package rewrite

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file finds the comparisons with products of variables in the conditions of if, while, do, for and ?:,
// below !, &&, || and the like, where the order of evaluation is defined. A number in the place of a comparison
// is compared with 0. What is compared becomes a polynomial if it is made of +, -, * and variables of signed types,
// without conversions that change values.

// variable is a variable of the program.
type variable struct {
	name   string
	system string // its name in the integer transition system, "" if it has none that is only its own
	signed bool   // of a signed type, after promotion
}

// comparison is one with a product, in a condition.
type comparison struct {
	begin, end int
	relation   string
	difference rational.Polynomial // of the operands, over the numbers of variables; nil if whyNot says why
	whyNot     string
	visible    map[string]*variable
	// wide is the difference where arithmetic of unsigned types and conversions change no value, as they do not over mathematical
	// integers.
	wide rational.Polynomial
}

// integers are the types of variables, with whether they are signed after promotion.
var integers = map[string]struct {
	rank   int // the rank of the type: a greater one may have more bits
	signed bool
}{
	"char": {1, true}, "signed char": {1, true}, "unsigned char": {1, true}, "short": {2, true}, "unsigned short": {2, true},
	"int": {3, true}, "unsigned int": {3, false}, "long": {4, true}, "unsigned long": {4, false}, "long long": {5, true}, "unsigned long long": {5, false},
}

// finder collects the comparisons of a program.
type finder struct {
	function    string
	scopes      []map[string]*variable
	byID        map[string]*variable
	variables   []*variable    // by number
	number      map[string]int // of an ID
	globals     map[string]int // how many objects with static storage duration have a name
	locals      map[string]int // the same of main's variables
	comparisons []*comparison
	widely      bool // unsigned arithmetic and conversions change no value
}

// find are the comparisons, in the order of the text, and all variables.
func find(root *node) *finder {
	f := &finder{byID: map[string]*variable{}, number: map[string]int{}, globals: map[string]int{}, locals: map[string]int{}, scopes: []map[string]*variable{{}}}
	f.count(root, "")
	f.walk(root, false)
	slices.SortFunc(f.comparisons, func(a, b *comparison) int { return a.begin - b.begin })
	return f
}

// count counts how many variables have a name.
func (f *finder) count(n *node, function string) {
	seen := map[string]bool{}
	for _, c := range n.Inner {
		inside := function
		switch {
		case c == nil:
			continue
		case c.Kind == "FunctionDecl":
			inside = c.Name
		case c.Kind == "VarDecl" && n.Kind == "TranslationUnitDecl":
			if !seen[c.Name] { // not counting declarations of the same object
				f.globals[c.Name]++
			}
			seen[c.Name] = true
		case c.Kind == "VarDecl" && c.StorageClass == "static":
			f.globals[c.Name]++
		case (c.Kind == "VarDecl" || c.Kind == "ParmVarDecl") && function == "main" && c.StorageClass != "extern":
			f.locals[c.Name]++
		}
		f.count(c, inside)
	}
}

// typeName is the type of a node without const and typedefs.
func typeName(n *node) string {
	name := n.Type.QualType
	if n.Type.DesugaredQualType != "" {
		name = n.Type.DesugaredQualType
	}
	return strings.TrimPrefix(name, "const ")
}

// declare adds a variable to the innermost scope.
func (f *finder) declare(n *node) {
	v := &variable{name: n.Name}
	t, known := integers[typeName(n)]
	v.signed = t.signed
	switch {
	case !known:
	case f.function == "" && f.globals[n.Name] == 1:
		v.system = n.Name
	case f.function == "main" && n.StorageClass != "static" && n.StorageClass != "extern" && f.locals[n.Name] == 1:
		v.system = "main::" + n.Name
	}
	f.scopes[len(f.scopes)-1][n.Name] = v
	f.byID[n.ID] = v
	f.number[n.ID] = len(f.variables)
	f.variables = append(f.variables, v)
}

// walk goes through the program. disordered says that other parts of the expression may be computed
// before or after this one.
func (f *finder) walk(n *node, disordered bool) {
	switch n.Kind {
	case "EnumConstantDecl", "TypedefDecl":
		f.scopes[len(f.scopes)-1][n.Name] = &variable{name: n.Name}
	case "FunctionDecl":
		f.scopes[len(f.scopes)-1][n.Name] = &variable{name: n.Name}
		outer := f.function
		f.function = n.Name
		defer func() { f.function = outer }()
		f.scopes = append(f.scopes, map[string]*variable{})
		defer func() { f.scopes = f.scopes[:len(f.scopes)-1] }()
	case "CompoundStmt", "ForStmt":
		f.scopes = append(f.scopes, map[string]*variable{})
		defer func() { f.scopes = f.scopes[:len(f.scopes)-1] }()
	case "VarDecl", "ParmVarDecl":
		f.declare(n)
	}
	for i, c := range n.Inner {
		if c == nil {
			continue
		}
		f.walk(c, disordered || !sequenced(n)) // declares what a condition may mention
		if conditionOf(n, i) && f.function != "" {
			f.leaves(c, disordered)
		}
	}
}

// sequenced says that nothing is computed between the parts of a part of a node.
func sequenced(n *node) bool {
	switch n.Kind {
	case "BinaryOperator":
		return n.Opcode == "&&" || n.Opcode == "||" || n.Opcode == "," || n.Opcode == "=" && n.Inner[0].Kind == "DeclRefExpr"
	case "UnaryOperator":
		return n.Opcode == "!"
	case "ParenExpr", "ImplicitCastExpr", "ConditionalOperator", "VarDecl", "TranslationUnitDecl", "FunctionDecl":
		return true
	}
	return strings.HasSuffix(n.Kind, "Stmt")
}

// conditionOf says whether the i-th part of a node is its condition.
func conditionOf(n *node, i int) bool {
	switch n.Kind {
	case "IfStmt", "WhileStmt", "ConditionalOperator":
		return i == 0
	case "DoStmt":
		return i == 1
	case "ForStmt":
		return i == 2
	}
	return false
}

// leaves notes the comparisons with products in a condition.
func (f *finder) leaves(n *node, disordered bool) {
	switch {
	case n.Kind == "ParenExpr" && len(n.Inner) == 1, n.Kind == "UnaryOperator" && n.Opcode == "!", n.Kind == "ImplicitCastExpr" && n.CastKind == "IntegralToBoolean":
		f.leaves(n.Inner[0], disordered)
	case n.Kind == "BinaryOperator" && (n.Opcode == "&&" || n.Opcode == "||"):
		f.leaves(n.Inner[0], disordered)
		f.leaves(n.Inner[1], disordered)
	case n.Kind == "BinaryOperator" && n.Opcode == ",":
		f.leaves(n.Inner[1], disordered)
	case n.Kind == "ConditionalOperator": // its condition is one by itself
		f.leaves(n.Inner[1], disordered)
		f.leaves(n.Inner[2], disordered)
	case multiplies(n):
		f.compare(n, disordered)
	}
}

// compare notes a comparison.
func (f *finder) compare(n *node, disordered bool) {
	c := &comparison{relation: "!=", visible: map[string]*variable{}}
	for _, s := range f.scopes {
		maps.Copy(c.visible, s)
	}
	var ok bool
	if c.begin, c.end, ok = extent(n); !ok {
		return // a macro of the command line
	}
	f.comparisons = append(f.comparisons, c)
	if disordered {
		c.whyNot = "other parts of the expression may be computed between its parts"
		return
	}
	compared := n.Kind == "BinaryOperator" && relations[n.Opcode] != ""
	if compared {
		c.relation = n.Opcode
	}
	difference := func() (rational.Polynomial, error) {
		if !compared {
			return f.polynomial(n)
		}
		x, err := f.polynomial(n.Inner[0])
		if err != nil {
			return nil, err
		}
		y, err := f.polynomial(n.Inner[1])
		if err != nil {
			return nil, err
		}
		return x.AddScaled(linear.Int(-1), y), nil
	}
	var err error
	if c.difference, err = difference(); err == nil {
		c.wide = c.difference
		return
	}
	c.whyNot = err.Error()
	f.widely = true
	c.wide, _ = difference()
	f.widely = false
}

// multiplies says whether an expression has a product of integers that are both not constant.
func multiplies(n *node) bool {
	if n.Kind == "BinaryOperator" && n.Opcode == "*" && integers[typeName(n)].rank > 0 && varies(n.Inner[0]) && varies(n.Inner[1]) {
		return true
	}
	return slices.ContainsFunc(n.Inner, func(c *node) bool { return c != nil && multiplies(c) })
}

// varies says whether an expression mentions something that is no literal.
func varies(n *node) bool {
	return n.Kind == "DeclRefExpr" && n.ReferencedDecl != nil && n.ReferencedDecl.Kind != "EnumConstantDecl" || slices.ContainsFunc(n.Inner, func(c *node) bool { return c != nil && varies(c) })
}

// polynomial is the value of an expression over the variables' numbers.
func (f *finder) polynomial(n *node) (rational.Polynomial, error) {
	switch n.Kind {
	case "ParenExpr", "ConstantExpr":
		return f.polynomial(n.Inner[0])
	case "IntegerLiteral":
		var s string
		value, ok := new(big.Int), false
		if json.Unmarshal(n.Value, &s) == nil {
			value, ok = value.SetString(s, 10)
		}
		if !ok {
			return nil, fmt.Errorf("a literal is not understood")
		}
		return rational.Constant(linear.FromBigInt(value)), nil
	case "ImplicitCastExpr", "CStyleCastExpr":
		return f.cast(n)
	case "UnaryOperator":
		p, err := f.polynomial(n.Inner[0])
		switch {
		case err != nil:
			return nil, err
		case n.Opcode == "-":
			return rational.Polynomial{}.AddScaled(linear.Int(-1), p), nil
		case n.Opcode == "+":
			return p, nil
		}
		return nil, fmt.Errorf("%s has no polynomial", n.Opcode)
	case "BinaryOperator":
		if t, known := integers[typeName(n)]; !known || !t.signed && !f.widely {
			return nil, fmt.Errorf("arithmetic of the type %s", typeName(n))
		}
		if !strings.Contains("+-*", n.Opcode) {
			return nil, fmt.Errorf("%s has no polynomial", n.Opcode)
		}
		x, err := f.polynomial(n.Inner[0])
		if err != nil {
			return nil, err
		}
		y, err := f.polynomial(n.Inner[1])
		if err != nil {
			return nil, err
		}
		switch n.Opcode {
		case "+":
			return x.AddScaled(linear.Int(1), y), nil
		case "-":
			return x.AddScaled(linear.Int(-1), y), nil
		}
		p, ok := x.Times(y)
		if !ok {
			return nil, fmt.Errorf("the degree is too great")
		}
		return p, nil
	case "CallExpr":
		return nil, fmt.Errorf("a call is in the comparison")
	}
	return nil, fmt.Errorf("an expression is no sum, product, or variable (clang calls it %s)", n.Kind)
}

// cast is the value of a conversion.
func (f *finder) cast(n *node) (rational.Polynomial, error) {
	inner := n.Inner[0]
	switch n.CastKind {
	case "NoOp":
		return f.polynomial(inner)
	case "LValueToRValue":
		for inner.Kind == "ParenExpr" {
			inner = inner.Inner[0]
		}
		if inner.Kind != "DeclRefExpr" || inner.ReferencedDecl == nil {
			return nil, fmt.Errorf("an element, a member or what a pointer points to is in the comparison")
		}
		v := f.byID[inner.ReferencedDecl.ID]
		switch {
		case v == nil || v.system == "":
			return nil, fmt.Errorf("%s is no integer variable of main, or global, with a name of its own", inner.ReferencedDecl.Name)
		case !v.signed && !f.widely:
			return nil, fmt.Errorf("%s is unsigned", v.name)
		}
		return rational.Variable(linear.Var(f.number[inner.ReferencedDecl.ID])), nil
	case "IntegralCast":
		from, known := integers[typeName(inner)]
		to, also := integers[typeName(n)]
		if !known || !also || !(from.signed && to.signed || f.widely) || to.rank < from.rank || typeName(n) == "unsigned short" || typeName(n) == "unsigned char" {
			return nil, fmt.Errorf("a conversion from %s to %s", typeName(inner), typeName(n))
		}
		return f.polynomial(inner)
	}
	return nil, fmt.Errorf("a conversion from %s to %s", typeName(inner), typeName(n))
}
