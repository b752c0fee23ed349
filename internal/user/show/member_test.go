package show

import (
	"testing"

	"assay/internal/program/ir"
)

// The types of the test: struct inner { int a; char b[3]; }; union { long l; int i; char c[8]; }; and
// struct outer { struct inner in[2]; union u u; struct outer *next; short tail[]; }.
func outer() ir.CType {
	char := ir.CType{Name: "char", Bits: 8, Signed: true}
	short := ir.CType{Name: "short", Bits: 16, Signed: true}
	integer := ir.CType{Name: "int", Bits: 32, Signed: true}
	long := ir.CType{Name: "long", Bits: 64, Signed: true}
	array := func(t ir.CType, n uint32) ir.CType {
		return ir.CType{Name: t.Name + "[]", Bits: n * t.Bits, Parts: &ir.Parts{Element: t}}
	}
	at := func(name string, offset uint64, t ir.CType) ir.Member {
		return ir.Member{Name: name, Offset: offset, Type: t}
	}
	inner := ir.CType{Name: "struct inner", Bits: 64, Parts: &ir.Parts{Members: []ir.Member{at("a", 0, integer), at("b", 32, array(char, 3))}}}
	union := ir.CType{Name: "union u", Bits: 64, Parts: &ir.Parts{Members: []ir.Member{at("l", 0, long), at("i", 0, integer), at("c", 0, array(char, 8))}}}
	out := ir.CType{Name: "struct outer", Bits: 256, Parts: &ir.Parts{}}
	next := ir.CType{Name: "struct outer *", Bits: 64, Ptr: true, Parts: &ir.Parts{Element: out}}
	out.Parts.Members = []ir.Member{at("in", 0, array(inner, 2)), at("u", 128, union), at("next", 192, next), at("tail", 256, array(short, 0))}
	return out
}

func TestPartAt(t *testing.T) {
	for _, x := range []struct {
		offset, size uint64
		path         string
		rest         uint64
	}{
		{0, 32, "", 0},        // the whole
		{0, 4, ".in[0].a", 0}, // the first scalar
		{0, 8, ".in[0]", 0},   // the first structure
		{0, 16, ".in", 0},     // the whole array
		{4, 1, ".in[0].b[0]", 0},
		{6, 1, ".in[0].b[2]", 0},
		{7, 1, ".in[0]", 7}, // padding
		{12, 3, ".in[1].b", 0},
		{40, 4, ".tail[4]", 0}, // an access that is wider than an element, behind the end

		{16, 8, ".u.l", 0}, // of a union, the member of the size
		{16, 4, ".u.i", 0},
		{24, 8, ".next", 0},    // a pointer has no parts of its own
		{32, 2, ".tail[0]", 0}, // the array without a size
		{38, 2, ".tail[3]", 0},
		{10, 1, ".in[1].a", 2}, // inside of a scalar
	} {
		path, _, rest := partAt(outer(), x.offset, x.size)
		if path != x.path || rest != x.rest {
			t.Errorf("%d bytes at %d: %q and %d bytes, want %q and %d", x.size, x.offset, path, rest, x.path, x.rest)
		}
	}
}

func TestBehind(t *testing.T) {
	char := ir.CType{Name: "char", Bits: 8}
	pointer := ir.CType{Name: "char *", Bits: 64, Ptr: true, Parts: &ir.Parts{Element: char}}
	for _, x := range []struct {
		pointer  string
		element  ir.CType
		distance int64
		size     uint64
		want     string
	}{
		{"p", outer(), 24, 8, "p->next"},
		{"p", outer(), 32 + 24, 8, "p[1].next"},
		{"p", outer(), -8, 8, "p[-1].next"},
		{"p", outer(), 0, 32, "*p"},
		{"p", outer(), 7, 1, ""}, // padding has no name
		{"*q", char, 3, 1, "(*q)[3]"},
		{"s", char, -1, 1, "s[-1]"},
		{"argv", pointer, 0, 8, "*argv"},
		{"argv", pointer, 8, 8, "argv[1]"},
		{"v", ir.CType{Name: "void"}, 3, 1, ""},
	} {
		if got, _ := behind(x.pointer, x.element, x.distance, x.size); got != x.want {
			t.Errorf("%d bytes at %d behind %s: %q, want %q", x.size, x.distance, x.pointer, got, x.want)
		}
	}
}
