package validate

import (
	"context"
	"sort"
	"strings"

	"assay/internal/program/syntax"
)

// This file sees to it that what a witness says is an expression that changes nothing, with what the macros of the program make of it: one of them may
// write, call, return or jump, or close a bracket that was opened before it. So in what clang makes of an inserted condition nothing may begin but
// the kinds of nodes below. (Names, brackets and operators of the text itself were looked at by package witness.)

// harmless are the nodes that a condition may have.
var harmless = map[string]bool{
	"ArraySubscriptExpr": true, "BinaryConditionalOperator": true, "BinaryOperator": true, "CStyleCastExpr": true, "CharacterLiteral": true, "ConditionalOperator": true,
	"ConstantExpr": true, "DeclRefExpr": true, "FloatingLiteral": true, "ImplicitCastExpr": true, "IntegerLiteral": true, "MemberExpr": true, "OffsetOfExpr": true,
	"OpaqueValueExpr": true, "ParenExpr": true, "StringLiteral": true, "UnaryExprOrTypeTraitExpr": true, "UnaryOperator": true,
}

// expressionsOnly says whether the conditions are such; the error is an *impure. flags are those with which clang reads the new texts.
func (x *instrumented) expressionsOnly(ctx context.Context, flags []string) error {
	for i, f := range x.files {
		m := x.maps[i]
		owned := false
		for _, s := range m.spans {
			owned = owned || s.owner >= 0
		}
		if !owned {
			continue
		}
		if strings.Contains(f.Text, "__COUNTER__") {
			return &misfit{&errNoPlace{"the program asks for __COUNTER__, which conditions may change"}}
		}
		start := len(m.text) - m.body
		var wrong error
		seen := map[int]bool{}
		err := syntax.Nodes(ctx, f.Name, m.name, flags, func(n syntax.Written) {
			at := n.Begin - start
			k := sort.Search(len(m.spans), func(k int) bool { return m.spans[k].end > at })
			if wrong != nil || k == len(m.spans) || at < m.spans[k].begin || m.spans[k].owner < 0 {
				return
			}
			seen[k] = true
			own := at == m.spans[k].begin && n.Kind == "CallExpr" && strings.HasPrefix(m.text[n.Begin:], "__assay_check(")
			writes := n.Kind == "BinaryOperator" && n.Opcode == "=" || n.Kind == "UnaryOperator" && (n.Opcode == "++" || n.Opcode == "--")
			switch {
			case !harmless[n.Kind] && !own:
				what := "is more than an expression there: it becomes a " + n.Kind
				if n.Kind == "CallExpr" {
					what = "calls a function"
				} else if n.Kind == "CompoundAssignOperator" {
					what = "changes something"
				}
				wrong = &impure{m.spans[k].owner, what}
			case writes:
				wrong = &impure{m.spans[k].owner, "changes something"}
			case n.Variable:
				wrong = &impure{m.spans[k].owner, "has a type of a size that is computed"}
			}
		})
		if wrong == nil {
			wrong = err
		}
		for k, s := range m.spans {
			if wrong == nil && s.owner >= 0 && !seen[k] {
				wrong = &misfit{&errNoPlace{"a condition of the witness got lost in it"}}
			}
		}
		if wrong != nil {
			return wrong
		}
	}
	return nil
}
