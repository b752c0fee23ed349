package frontend

import (
	"bufio"
	"bytes"
	"context"
	"slices"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
	"assay/internal/run/lazyregexp"
)

// This file finds out which parameters of functions without body point to const: LLVM's
// pointers do not say. clang describes a function that is only declared if it is told to
// optimise, so the sources are compiled once more, with no pass run, and the description
// is read off the text of the result. Where it does not fit the call (structs that are
// passed in pieces, other declarations elsewhere), no parameter counts as const.

// pointee is what a function without body may do to what an argument points to.
type pointee uint8

const (
	notPointer pointee = iota
	written            // anything
	kept               // nothing: it is const, and holds no pointers
	followed           // nothing, but it may hold pointers, and what these point to is written
)

// declarations finds the parameters of the functions without body, by name.
func declarations(ctx context.Context, o *Options, p *llvm.Program) map[string][]pointee {
	wanted := slices.ContainsFunc(bodiless(p), func(f *llvm.Function) bool {
		return slices.ContainsFunc(f.Type.Params, func(t *llvm.Type) bool { return t.Kind == llvm.PointerType })
	})
	if !wanted {
		return nil
	}
	units, _, err := split(o)
	if err != nil || len(units) == 0 {
		return nil
	}
	clang, err := clangPath()
	if err != nil {
		return nil
	}
	for i := range units {
		units[i].described = true
	}
	found := map[string][]pointee{}
	for _, c := range compileAll(ctx, clang, units, o) {
		if c.err != nil {
			return nil
		}
		for name, list := range describe(c.bitcode) {
			if old, ok := found[name]; ok && !slices.Equal(old, list) {
				list = nil
			}
			found[name] = list
		}
	}
	return found
}

var (
	declareLine  = lazyregexp.New(`^declare !dbg !(\d+) .*?@"?([^"( ]+)`)
	metadataLine = lazyregexp.New(`^!(\d+) = (?:distinct )?(!.*)$`)
	metadataLink = lazyregexp.New(`\b(baseType|type|types|elements): !(\d+)`)
	metadataTag  = lazyregexp.New(`\btag: (\w+)`)
)

// metadata is the debug information of a module, by number.
type metadata map[string]string

func (m metadata) link(node, field string) string {
	for _, match := range metadataLink.FindAllStringSubmatch(m[node], -1) {
		if match[1] == field {
			return match[2]
		}
	}
	return ""
}

func (m metadata) tag(node string) string {
	if match := metadataTag.FindStringSubmatch(m[node]); match != nil {
		return match[1]
	}
	return ""
}

// list is what a node of the form !{…} lists; null is empty.
func (m metadata) list(node string) []string {
	inner := strings.TrimSuffix(strings.TrimPrefix(m[node], "!{"), "}")
	var list []string
	for part := range strings.SplitSeq(inner, ", ") {
		list = append(list, strings.TrimPrefix(strings.TrimPrefix(part, "!"), "null"))
	}
	return list
}

// describe reads the declarations of a module in text form.
func describe(text []byte) map[string][]pointee {
	m := metadata{}
	declared := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		line := lines.Text()
		if match := metadataLine.FindStringSubmatch(line); match != nil {
			m[match[1]] = match[2]
		} else if match := declareLine.FindStringSubmatch(line); match != nil {
			declared[match[2]] = match[1]
		}
	}
	found := map[string][]pointee{}
	for name, node := range declared {
		types := m.list(m.link(m.link(node, "type"), "types"))
		var list []pointee
		for k, t := range types {
			if k > 0 && !(t == "" && k == len(types)-1) { // the first is the result, a null at the end is ...
				list = append(list, m.pointee(t))
			}
		}
		found[name] = list
	}
	return found
}

// strip removes names and qualifiers; it says whether const was among them.
func (m metadata) strip(t string) (stripped string, constant bool) {
	for {
		switch m.tag(t) {
		case "DW_TAG_const_type":
			constant = true
		case "DW_TAG_typedef", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type":
		default:
			return t, constant
		}
		t = m.link(t, "baseType")
	}
}

func (m metadata) pointee(t string) pointee {
	t, _ = m.strip(t)
	if m.tag(t) != "DW_TAG_pointer_type" {
		return notPointer
	}
	to, constant := m.strip(m.link(t, "baseType"))
	switch {
	case strings.HasPrefix(m[to], "!DISubroutineType"):
		return kept
	case !constant:
		return written
	case m.holdsPointers(to, map[string]bool{}):
		return followed
	}
	return kept
}

// holdsPointers says whether objects of a type may hold pointers.
func (m metadata) holdsPointers(t string, seen map[string]bool) bool {
	t, _ = m.strip(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch tag := m.tag(t); {
	case strings.HasPrefix(m[t], "!DIBasicType"), tag == "DW_TAG_enumeration_type":
		return false
	case tag == "DW_TAG_array_type":
		return m.holdsPointers(m.link(t, "baseType"), seen)
	case (tag == "DW_TAG_structure_type" || tag == "DW_TAG_union_type") && m.link(t, "elements") != "":
		for _, member := range m.list(m.link(t, "elements")) {
			if m.holdsPointers(m.link(member, "baseType"), seen) {
				return true
			}
		}
		return false
	}
	return true
}

// pointees are what the function without body does to what the arguments of a call point
// to: as its declaration says, if that fits the call.
func (im *importer) pointees(c unmodelledCall) []pointee {
	list := make([]pointee, len(c.args))
	for k := range list {
		list[k] = written
	}
	declared := im.opts.declared[c.name]
	if len(declared) > len(c.args) || len(declared) < len(c.args) && !c.variadic {
		return list
	}
	for k, d := range declared {
		if len(c.args[k]) != 1 || (c.f.Type(c.args[k][0]).Kind == ir.Ptr) != (d != notPointer) {
			return list
		}
	}
	for k, d := range declared {
		if d != notPointer {
			list[k] = d
		}
	}
	return list
}
