package llvm

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"math/big"
	"reflect"
	"slices"

	"assay/internal/logic/bv"
)

// This file computes digests of functions and objects: two with equal digests mean the
// same, to whoever reads the copy, positions and names of variables included, as far as the
// functions and objects that they name mean the same. Of one that is only declared, how it is declared counts. Every exported field counts, those
// that do not exist yet, too: the fields are visited by reflection.

// Digest is that of one function or object with a body or an initialiser.
type Digest struct {
	Hash [sha256.Size]byte
	// Uses are the names of functions and objects in it, sorted.
	Uses []string
}

// Digests are those of all functions and objects of the copy that are no intrinsics.
func (p *Program) Digests() map[string]Digest {
	all := map[string]Digest{}
	for _, f := range p.Functions {
		if f.Blocks != nil {
			all[f.Name] = p.digest(f, f)
		}
	}
	for _, g := range p.Globals {
		if g.Init != nil {
			all[g.Name] = p.digest(g, nil)
		}
	}
	return all
}

func (p *Program) digest(root Value, f *Function) Digest {
	d := &digester{p: p, root: root, function: f, h: sha256.New(), seen: map[uintptr]uint64{}, uses: map[string]bool{}}
	d.visit(reflect.ValueOf(root))
	var out Digest
	d.h.Sum(out.Hash[:0])
	for name := range d.uses {
		out.Uses = append(out.Uses, name)
	}
	slices.Sort(out.Uses)
	return out
}

type digester struct {
	p        *Program
	root     Value
	function *Function // if the root is one
	h        hash.Hash
	seen     map[uintptr]uint64 // by pointer: when it was met first
	uses     map[string]bool
	scratch  [8]byte
}

func (d *digester) number(n uint64) {
	binary.LittleEndian.PutUint64(d.scratch[:], n)
	d.h.Write(d.scratch[:])
}

func (d *digester) text(s string) {
	d.number(uint64(len(s)))
	io.WriteString(d.h, s)
}

// leaf writes what has its own form; it says whether v was that.
func (d *digester) leaf(v reflect.Value) bool {
	switch x := v.Interface().(type) {
	case Pos:
		if x.Line != 0 && int(x.File) < len(d.p.Files) {
			d.text(d.p.Files[x.File])
		}
		d.number(uint64(x.Line))
		d.number(uint64(x.Col))
	case bv.BV:
		d.number(uint64(x.Width()))
		var n *big.Int = x.Unsigned()
		d.text(n.Text(62))
	case *Function:
		if x == nil || x == d.root {
			return false
		}
		d.text(x.Name)
		d.uses[x.Name] = true
		return x.Blocks != nil
	case *Global:
		if x == nil || x == d.root {
			return false
		}
		d.text(x.Name)
		d.uses[x.Name] = true
		return x.Init != nil
	case *Block:
		if x == nil || x.Func == d.function {
			return false
		}
		d.text(x.Func.Name)
		d.uses[x.Func.Name] = true
		d.number(uint64(x.Index))
	default:
		return false
	}
	return true
}

func (d *digester) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			d.number(0)
			return
		}
		d.text(v.Elem().Type().String())
		d.visit(v.Elem())
		return
	case reflect.Pointer, reflect.Struct:
		if d.leaf(v) {
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			d.number(0)
			return
		}
		if n, ok := d.seen[v.Pointer()]; ok {
			d.number(n)
			return
		}
		d.seen[v.Pointer()] = uint64(len(d.seen) + 1)
		d.visit(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if t := v.Type().Field(i); t.IsExported() {
				d.visit(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		d.number(uint64(v.Len()))
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			d.h.Write(v.Bytes())
			return
		}
		for i := range v.Len() {
			d.visit(v.Index(i))
		}
	case reflect.String:
		d.text(v.String())
	case reflect.Bool:
		if v.Bool() {
			d.number(1)
		} else {
			d.number(0)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		d.number(v.Uint())
	default:
		panic("llvm: the copy of a program has a field of kind " + v.Kind().String())
	}
}
