package validate

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/syntax"
	"assay/internal/user/witness"
)

// This file puts contracts of functions into the text. Requires is asserted where the function begins: every call must satisfy it. Ensures is
// asserted where it returns, with \result as a variable of the function's type. Parameters in it, and what \old is of, are those at the beginning: copies.
// Other names are those of file scope; where the function has a local variable of the name, they would be that one, so nothing is asserted.

// contract puts a contract into the text.
func (x *instrumented) contract(c witness.Contract, owner int) error {
	f, fn, err := x.functionAt(c.At)
	if err != nil {
		return err
	}
	begin := x.at(f, fn.Body, entry)
	if c.Requires != "" {
		begin.code = append(begin.code, check(c.Requires, owner)...)
	}
	if c.Ensures == "" {
		return nil
	}
	olds, err := witness.Olds(c.Ensures)
	if err != nil {
		return noPlace("%v", err)
	}
	kept := map[string]bool{}
	keep := func(name, text string) string {
		if !kept[name] {
			kept[name] = true
			// An expression without a meaning is the element's.
			begin.code = append(begin.code, code{"__typeof__((" + text + ") + 0) " + name + " = (", noOwner}, code{text, owner}, code{"); ", noOwner})
		}
		return name
	}
	parameters := map[string]bool{}
	for _, p := range fn.Params {
		parameters[p.Name] = true
	}
	var wrong error
	now := func(text string) string {
		return witness.Rename(strings.ReplaceAll(text, `\result`, resultName), func(name string) string {
			if parameters[name] {
				return keep(fmt.Sprintf("__assay_in_%d_%s", owner, name), name)
			}
			if slices.Contains(fn.Constants, name) || slices.ContainsFunc(fn.Locals, func(v syntax.Variable) bool { return v.Name == name }) {
				wrong = noPlace("the function has a variable %s of its own, which hides that of the contract", name)
			}
			return name
		})
	}
	text, done := "", 0
	for k, p := range olds {
		text += now(c.Ensures[done:p.Begin]) + keep(fmt.Sprintf("__assay_old_%d_%d", owner, k), c.Ensures[p.TextBegin:p.TextEnd])
		done = p.End
	}
	text += now(c.Ensures[done:])
	if wrong != nil {
		return wrong
	}
	result, _, _ := strings.Cut(fn.Type, "(")
	if result = strings.TrimSpace(result); result == "void" && strings.Contains(text, resultName) {
		return noPlace("the function has no result")
	}
	ends := check(text, owner)
	fn.Body.Walk(func(n *syntax.Node) {
		if n.Kind != syntax.Return {
			return
		}
		switch {
		case f.StatementEnd(n) < 0:
			wrong = noPlace("a return of the function is in a macro")
		case result == "void" || len(n.Inner) == 0:
			s := x.at(f, n, before)
			s.code = append(s.code, ends...)
		default:
			s := x.at(f, n, returned)
			s.result = result
			s.code = append(s.code, ends...)
		}
	})
	if wrong == nil && result == "void" {
		s := x.at(f, fn.Body, exit)
		s.code = append(s.code, ends...)
	}
	return wrong
}

// functionAt finds the function of a contract: that which begins, or stands, at the place.
func (x *instrumented) functionAt(l witness.Location) (*syntax.File, *syntax.Func, error) {
	f, err := x.find(l)
	if err == nil {
		err = exists(f, l)
	}
	if err != nil {
		return nil, nil, err
	}
	var found *syntax.Func
	for _, fn := range f.Funcs {
		first, _ := f.Position(fn.Begin)
		last, _ := f.Position(fn.Body.Begin)
		if l.Line >= first && l.Line <= last && !fn.Body.Macro && (found == nil || l.Function == fn.Name) {
			found = fn
		}
	}
	if found == nil {
		return nil, nil, noPlace("no function begins there")
	}
	return f, found, nil
}
