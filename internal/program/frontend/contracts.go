package frontend

import (
	"slices"
	"strings"

	"assay/internal/program/contract"
	"assay/internal/program/cprover"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file knows the contracts of a program's functions (package cprover makes functions of
// them), and gives meaning to what these call: whether an object has a name that a function knows.

// FunctionContract is that of a function that a program calls.
type FunctionContract struct {
	Function string
	// Defined says that the function has a body, which may be proved to keep the contract.
	Defined bool
}

// contracted notes the contracts of a unit.
func (o *Options) contracted(file string, c *compiled) error {
	o.enforced = o.enforced || c.enforced
	for _, n := range c.contracts {
		k := slices.IndexFunc(o.contracts, func(x cprover.Contract) bool { return x.Name == n.Name })
		switch {
		case k < 0:
			n.File = file
			o.contracts = append(o.contracts, n)
		case o.UseContracts && o.contracts[k].Static != n.Static, o.UseContracts && n.Static && o.contracts[k].File != file:
			return inputError(file, "two static functions are named "+n.Name+", one at least with a contract: --use-contracts needs one name for each")
		case o.UseContracts && o.contracts[k].Text != n.Text:
			return inputError(file, "the contract of "+n.Name+" differs from that in another file")
		default:
			o.contracts[k].Defined = o.contracts[k].Defined || n.Defined
		}
	}
	return nil
}

// contractRoots are the functions whose bodies say which objects they name.
func (o *Options) contractRoots() (names []string) {
	if o.UseContracts {
		for _, c := range o.contracts {
			names = append(names, c.Name)
		}
	}
	return names
}

// prove prepares the module for what is to be shown of contracts: it leaves out functions that are
// not called, and checks writes.
func (o *Options) prove(p *Program, copied *llvm.Program) {
	if len(o.contracts) == 0 {
		return
	}
	contract.Prune(p.Module)
	p.Vectors = nil // what is changed below is not changed there
	if p.Exact != nil {
		contract.Prune(p.Exact)
	}
	if o.UseContracts {
		for _, c := range o.contracts {
			if p.Module.Func(c.Name+cprover.ContractSuffix) == nil {
				continue
			}
			f := copied.Function(c.Name)
			p.Contracts = append(p.Contracts, FunctionContract{Function: c.Name, Defined: c.Defined || f != nil && f.Blocks != nil && !f.Library})
		}
	}
	if !o.enforced {
		return
	}
	if p.Harness != nil {
		p.Notes = append(p.Notes, Note{Name: o.entry(), Text: "starts with what its contract requires; what it writes is not compared with __CPROVER_assigns in a harness that was inferred"})
		return
	}
	p.Module = contract.CheckWrites(p.Module, o.entry(), o.Obligation)
	if p.Exact != nil {
		p.Exact = contract.CheckWrites(p.Exact, o.entry(), o.Obligation)
	}
}

// noGlobal says that a pointer is not into an object with static storage duration that can be written.
func (f *function) noGlobal(c *externalCall) []ir.Value { return f.boolean(f.outside(c, nil), c) }

// unnamed says that it is none of those that a function, the second argument, may name: it, its contract, and what they call.
func (f *function) unnamed(c *externalCall) []ir.Value {
	name := c.text(1)
	by := f.im.p.Function(name)
	if slices.ContainsFunc(f.im.p.Functions, func(x *llvm.Function) bool { return strings.HasPrefix(x.Name, name+".") }) {
		by = nil // linking has renamed a static function: which one is meant is not known, so it may name all
	}
	if by != nil && by.Blocks == nil {
		return f.boolean(f.b.Const(1, 1), c) // what it does is assumed
	}
	return f.boolean(f.outside(c, by), c)
}

func (f *function) outside(c *externalCall, by *llvm.Function) ir.Value {
	p, ok := c.arg(0)
	if !ok {
		return f.b.Const(1, 0)
	}
	var named map[*llvm.Global]bool
	if by != nil {
		named = namedObjects(by, f.src)
	}
	out := f.b.Const(1, 1)
	for _, g := range f.im.p.Globals {
		if g.CName == "" || g.Constant || strings.HasPrefix(g.CName, cprover.Ghost) || by != nil && !named[g] {
			continue
		}
		out = f.b.Bin(ir.And, out, f.not(f.b.Cmp(ir.SameObject, p, f.b.GlobalAddr(f.im.symbol(g)))))
	}
	return out
}

// namedObjects are the objects whose addresses stand in functions, in what these call, or in what
// initialises one of these.
func namedObjects(list ...*llvm.Function) map[*llvm.Global]bool {
	objects, functions := map[*llvm.Global]bool{}, map[*llvm.Function]bool{}
	var visit func(v llvm.Value)
	visit = func(v llvm.Value) {
		walkConstant(v, func(v llvm.Value) {
			switch v := v.(type) {
			case *llvm.Global:
				if objects[v] {
					return
				}
				objects[v] = true
				if v.Init != nil {
					visit(v.Init)
				}
			case *llvm.Function:
				if functions[v] {
					return
				}
				functions[v] = true
				for _, b := range v.Blocks {
					for _, i := range b.Instrs {
						for _, a := range i.Args {
							visit(a)
						}
						if i.Callee != nil {
							visit(i.Callee)
						}
					}
				}
			}
		})
	}
	for _, f := range list {
		visit(f)
	}
	return objects
}
