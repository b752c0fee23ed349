package llvm

import (
	"errors"
	"strings"
	"testing"
)

const layout = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n"

func open(t *testing.T, text string) *Session {
	t.Helper()
	s := Open()
	t.Cleanup(s.Close)
	if err := s.Read("test.ll", []byte(layout+text)); err != nil {
		t.Fatal(err)
	}
	return s
}

// prepared is the text of a module after Prepare.
func prepared(t *testing.T, text string) string {
	t.Helper()
	s := open(t, text)
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(); err != nil {
		t.Fatal(err)
	}
	return s.Text()
}

const declarations = `
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @escape(ptr)
`

// Each function has one alloca that may be promoted, or may not.
func TestPromotion(t *testing.T) {
	tests := []struct {
		name, body string
		promoted   bool
	}{
		{"scalar", `%x = alloca i32
			store i32 1, ptr %x
			%v = load i32, ptr %x
			ret i32 %v`, true},
		{"uninitialised", `%x = alloca i32
			%v = load i32, ptr %x
			ret i32 %v`, true},
		{"member", `%x = alloca {i32, i32}
			%p = getelementptr {i32, i32}, ptr %x, i32 0, i32 1
			store i32 1, ptr %p
			%v = load i32, ptr %p
			ret i32 %v`, true},
		{"outside", `%x = alloca [2 x i32]
			%p = getelementptr [2 x i32], ptr %x, i64 0, i64 2
			%v = load i32, ptr %p
			ret i32 %v`, false},
		{"before", `%x = alloca [2 x i32]
			%p = getelementptr i8, ptr %x, i64 -1
			%v = load i32, ptr %p
			ret i32 %v`, false},
		{"across", `%x = alloca i32
			%v = load i64, ptr %x
			%w = trunc i64 %v to i32
			ret i32 %w`, false},
		{"copied too far", `%x = alloca i32
			call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %x, i64 5, i1 false)
			ret i32 0`, false},
		{"variable index", `%x = alloca [2 x i32]
			%p = getelementptr [2 x i32], ptr %x, i64 0, i32 %n
			%v = load i32, ptr %p
			ret i32 %v`, false},
		{"escapes", `%x = alloca i32
			call void @escape(ptr %x)
			%v = load i32, ptr %x
			ret i32 %v`, false},
		{"stored", `%x = alloca i32
			store ptr %x, ptr %q
			ret i32 0`, false},
		{"chosen", `%x = alloca i32
			%p = select i1 %c, ptr %x, ptr %q
			%v = load i32, ptr %p
			ret i32 %v`, false},
		{"dead", `%x = alloca i32
			call void @llvm.lifetime.start.p0(i64 4, ptr %x)
			store i32 1, ptr %x
			call void @llvm.lifetime.end.p0(i64 4, ptr %x)
			%v = load i32, ptr %x
			ret i32 %v`, false},
		{"dead on one path", `%x = alloca i32
			call void @llvm.lifetime.start.p0(i64 4, ptr %x)
			store i32 1, ptr %x
			br i1 %c, label %a, label %b
		a:
			call void @llvm.lifetime.end.p0(i64 4, ptr %x)
			br label %b
		b:
			%v = load i32, ptr %x
			ret i32 %v`, false},
		{"reborn", `%x = alloca i32
			br label %loop
		loop:
			call void @llvm.lifetime.start.p0(i64 4, ptr %x)
			store i32 1, ptr %x
			%v = load i32, ptr %x
			call void @llvm.lifetime.end.p0(i64 4, ptr %x)
			br i1 %c, label %loop, label %out
		out:
			ret i32 %v`, true},
		{"not reborn", `%x = alloca i32
			call void @llvm.lifetime.start.p0(i64 4, ptr %x)
			br label %loop
		loop:
			store i32 1, ptr %x
			%v = load i32, ptr %x
			call void @llvm.lifetime.end.p0(i64 4, ptr %x)
			br i1 %c, label %loop, label %out
		out:
			ret i32 %v`, false},
		{"partly alive", `%x = alloca [2 x i32]
			call void @llvm.lifetime.start.p0(i64 4, ptr %x)
			%v = load i32, ptr %x
			ret i32 %v`, false},
		{"alloca()", `%x = alloca i8, i64 4
			store i32 1, ptr %x
			%v = load i32, ptr %x
			ret i32 %v`, true},
		{"alloca() in a loop", `br label %loop
		loop:
			%x = alloca i8, i64 4
			store i32 1, ptr %x
			%v = load i32, ptr %x
			br i1 %c, label %loop, label %out
		out:
			ret i32 %v`, false},
		{"volatile", `%x = alloca i32
			store volatile i32 1, ptr %x
			%v = load atomic i32, ptr %x seq_cst, align 4
			ret i32 %v`, true},
		{"known not to be", `%x = alloca i32
			%v = load i32, ptr %x, !range !0, !noundef !1
			ret i32 %v`, true},
	}
	for _, c := range tests {
		text := prepared(t, declarations+"define i32 @f(i1 %c, i32 %n, ptr %q) {\nentry:\n"+c.body+"\n}\n!0 = !{i32 0, i32 2}\n!1 = !{}\n")
		if promoted := !strings.Contains(text, "alloca"); promoted != c.promoted {
			t.Errorf("%s: promoted: %v, want %v\n%s", c.name, promoted, c.promoted, text)
		}
		if strings.Contains(text, "undef") || strings.Contains(text, "poison") || strings.Contains(text, "assay.keep") || strings.Contains(text, "llvm.assume") {
			t.Errorf("%s: undef, an assumption or a mark is left\n%s", c.name, text)
		}
	}
}

// A pointer that is promoted uncovers uses of what it points to: they are
// looked at again.
func TestPromotionInRounds(t *testing.T) {
	text := prepared(t, declarations+`
		define i32 @inside() {
			%x = alloca i32
			%p = alloca ptr
			store i32 1, ptr %x
			store ptr %x, ptr %p
			%q = load ptr, ptr %p
			%v = load i32, ptr %q
			ret i32 %v
		}
		define i32 @outside() {
			%x = alloca i32
			%p = alloca ptr
			store ptr %x, ptr %p
			%q = load ptr, ptr %p
			%r = getelementptr i32, ptr %q, i64 1
			%v = load i32, ptr %r
			ret i32 %v
		}`)
	if n := strings.Count(text, "alloca"); n != 1 || !strings.Contains(text, "%v = load i32, ptr %r") {
		t.Errorf("%d allocas are left\n%s", n, text)
	}
}

// What clang marks as an automatic initialisation is arbitrary content.
func TestAutomaticInitialisation(t *testing.T) {
	text := prepared(t, declarations+`
		declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
		define void @f(ptr %p, i64 %n) {
			store i32 0, ptr %p, !annotation !0
			call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false), !annotation !0
			store i32 5, ptr %p
			store i32 6, ptr %p, !annotation !1
			ret void
		}
		!0 = !{!"auto-init"}
		!1 = !{!"something else"}`)
	if strings.Count(text, "ptr align 1 @assay.nondet") != 2 || strings.Contains(text, "store i32 0") || strings.Contains(text, "memset.p0.i64(ptr %p") ||
		!strings.Contains(text, "store i32 5") || !strings.Contains(text, "store i32 6") {
		t.Error(text)
	}
}

func TestErrors(t *testing.T) {
	s := Open()
	defer s.Close()
	var syntax *SyntaxError
	err := s.Read("bad.ll", []byte("define i32 @f() {\n  ret i32 %x\n}\n"))
	if !errors.As(err, &syntax) || !strings.HasPrefix(syntax.Text, "bad.ll:2:11: error: use of undefined value '%x'") {
		t.Errorf("%v", err)
	}
	if err := s.Read("bad.bc", []byte("BC\xc0\xde\x01\x02\x03\x04")); !errors.As(err, &syntax) || syntax.Text == "" {
		t.Errorf("%v", err)
	}
	for _, m := range []string{"one.ll", "two.ll"} {
		err = s.Read(m, []byte("define i32 @f() {\n  ret i32 1\n}\n"))
	}
	var link *LinkError
	if !errors.As(err, &link) || !strings.Contains(link.Text, "multiply defined") {
		t.Errorf("%v", err)
	}
	s.Close() // a second time is allowed
}

func TestLinkLibrary(t *testing.T) {
	library := Open()
	defer library.Close()
	if err := library.Read("lib.ll", []byte(layout+`
		@shared = global i32 3
		define weak i32 @needed() {
			%v = call i32 @helper()
			ret i32 %v
		}
		define internal i32 @helper() {
			%v = load i32, ptr @shared
			ret i32 %v
		}
		define weak i32 @overridden() {
			ret i32 1
		}
		define weak i32 @unneeded() {
			ret i32 1
		}`)); err != nil {
		t.Fatal(err)
	}
	s := open(t, `
		declare i32 @needed()
		define i32 @overridden() {
			ret i32 2
		}
		define i32 @helper() {
			ret i32 3
		}
		define i32 @main() {
			%v = call i32 @needed()
			%w = call i32 @overridden()
			ret i32 %v
		}`)
	if err := s.LinkLibrary("lib", library.Bitcode()); err != nil {
		t.Fatal(err)
	}
	if s.Declares("needed") || s.function("unneeded") != nil {
		t.Error(s.Text())
	}
	p := s.Copy("main")
	for name, library := range map[string]bool{"main": false, "needed": true, "overridden": false} {
		if f := p.Function(name); f == nil || f.Library != library {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if p.Function("helper") != nil { // the program's own is not reached
		t.Error("helper is reached")
	}
	if len(p.Functions) != 4 || len(p.Globals) != 1 {
		t.Errorf("%d functions, %d globals", len(p.Functions), len(p.Globals))
	}
}

func TestCopyConstants(t *testing.T) {
	p := open(t, `
		@wide = global i128 -3
		@huge = global i128 123456789012345678901234567890
		@nan = global float 0x7FF0000020000000
		@half = global half 0xH3C00
		@text = global [4 x i8] c"abc\00"
		@mixed = global {i8, ptr, [2 x i16]} {i8 1, ptr getelementptr (i8, ptr @text, i64 2), [2 x i16] [i16 2, i16 -1]}
		@alias = alias i8, ptr @text
		define ptr @f() {
			%1 = load i128, ptr @wide
			%2 = load i128, ptr @huge
			%3 = load float, ptr @nan
			%4 = load half, ptr @half
			%5 = load {i8, ptr, [2 x i16]}, ptr @mixed
			ret ptr @alias
		}`).Copy("f")
	init := func(name string) *Const {
		for _, g := range p.Globals {
			if g.Name == name {
				return g.Init.(*Const)
			}
		}
		t.Fatalf("no global %s", name)
		return nil
	}
	if v := init("wide").Bits; v.Signed().String() != "-3" || v.Width() != 128 {
		t.Errorf("wide: %v", v)
	}
	if v := init("huge").Bits.Unsigned().String(); v != "123456789012345678901234567890" {
		t.Errorf("huge: %v", v)
	}
	if v := init("nan").Bits.Uint64(); v != 0x7f800001 { // a signalling NaN keeps its bits
		t.Errorf("nan: %#x", v)
	}
	if v := init("half").Bits.Uint64(); v != 0x3c00 {
		t.Errorf("half: %#x", v)
	}
	if v := string(init("text").Bytes); v != "abc\x00" {
		t.Errorf("text: %q", v)
	}
	mixed := init("mixed")
	if e, ok := mixed.Elems[1].(*Expr); !ok || e.Op != GetElementPtr || mixed.Type.Offsets[1] != 8 {
		t.Errorf("mixed: %+v", mixed)
	}
	ret := p.Function("f").Blocks[0].Instrs[5]
	if g, ok := ret.Args[0].(*Global); !ok || g.Name != "text" {
		t.Errorf("an alias is not resolved: %+v", ret.Args)
	}
}

func TestCopyInstructions(t *testing.T) {
	p := open(t, `
		declare void @g(ptr, ...)
		define i32 @f(i32 %n, ptr %p, ptr byval({i32, i64}) align 8 %s) {
		entry:
			switch i32 %n, label %a [ i32 1, label %b
			                          i32 -1, label %b ]
		a:
			%x = add nsw i32 %n, 1
			%c = icmp slt i32 %x, 5
			br i1 %c, label %b, label %a2
		a2:
			call void (ptr, ...) @g(ptr %p, ptr byval({i32, i64}) %s) noreturn
			unreachable
		b:
			%y = phi i32 [ 1, %entry ], [ 1, %entry ], [ %x, %a ]
			ret i32 %y
		}`).Copy("f")
	f := p.Function("f")
	if f.Params[2].ByVal == nil || f.Params[2].ByVal.Size != 16 || f.Params[0].Name != "n" || len(f.Blocks) != 4 {
		t.Fatalf("%+v", f)
	}
	sw := f.Blocks[0].Instrs[0]
	if len(sw.Args) != 1 || len(sw.Cases) != 2 || len(sw.Blocks) != 3 || sw.Cases[1].Int64() != -1 || sw.Blocks[0] != f.Blocks[1] || sw.Blocks[2] != f.Blocks[3] {
		t.Errorf("switch: %+v", sw)
	}
	add, cmp, br := f.Blocks[1].Instrs[0], f.Blocks[1].Instrs[1], f.Blocks[1].Instrs[2]
	if !add.NSW || add.NUW || cmp.Pred != IntSLT || cmp.Args[0] != Value(add) || br.Blocks[0] != f.Blocks[3] {
		t.Errorf("add %+v cmp %+v br %+v", add, cmp, br)
	}
	call := f.Blocks[2].Instrs[0]
	if callee, ok := call.Callee.(*Function); !ok || callee.Name != "g" || !call.NoReturn || len(call.Args) != 2 || call.ByVal[0] != nil || call.ByVal[1] == nil {
		t.Errorf("call: %+v", call)
	}
	phi := f.Blocks[3].Instrs[0]
	if len(phi.Args) != 3 || phi.Blocks[2] != f.Blocks[1] || phi.Args[2] != Value(add) {
		t.Errorf("phi: %+v", phi)
	}
}

// TestAtomicPointers: an atomic access of a pointer, which clang makes one of an integer, has the pointer's type; one of an
// integer, or of one that is used as such, does not.
func TestAtomicPointers(t *testing.T) {
	for _, x := range []struct{ name, body, want, not string }{
		{"load", `%t = alloca ptr
			%v = load atomic volatile i64, ptr %p seq_cst, align 8
			store i64 %v, ptr %t, align 8
			%r = load ptr, ptr %t, align 8
			ret ptr %r`, "load ptr, ptr %p", "inttoptr"},
		{"store", `%t = alloca ptr
			store ptr %q, ptr %t, align 8
			%v = load i64, ptr %t, align 8
			store atomic volatile i64 %v, ptr %p release, align 8
			ret ptr %q`, "store ptr %q, ptr %p", "ptrtoint"},
		{"integer", `%t = alloca i64
			%v = load atomic i64, ptr %p seq_cst, align 8
			store i64 %v, ptr %t, align 8
			%n = load i64, ptr %t, align 8
			%r = inttoptr i64 %n to ptr
			ret ptr %r`, "inttoptr", "load ptr, ptr %p"},
		{"used", `%t = alloca ptr
			%v = load atomic i64, ptr %p seq_cst, align 8
			store i64 %v, ptr %t, align 8
			%r = getelementptr i8, ptr %p, i64 %v
			ret ptr %r`, "load i64", "load ptr"},
		{"narrow", `%t = alloca ptr
			%v = load atomic i32, ptr %p seq_cst, align 8
			store i32 %v, ptr %t, align 8
			%r = load ptr, ptr %t, align 8
			ret ptr %r`, "load i32", "load ptr, ptr %p"},
		{"plain", `%t = alloca ptr
			%v = load i64, ptr %p, align 8
			store i64 %v, ptr %t, align 8
			%r = load ptr, ptr %t, align 8
			ret ptr %r`, "inttoptr", "load ptr, ptr %p"},
		{"address", `%t = alloca ptr
			%v = load atomic i64, ptr %t seq_cst, align 8
			store i64 %v, ptr %p, align 8
			ret ptr %q`, "store i64", "store ptr"},
	} {
		got := prepared(t, "define ptr @f(ptr %p, ptr %q) {\n"+x.body+"\n}\n")
		if !strings.Contains(got, x.want) || strings.Contains(got, x.not) {
			t.Errorf("%s: want %q, not %q in\n%s", x.name, x.want, x.not, got)
		}
	}
}
