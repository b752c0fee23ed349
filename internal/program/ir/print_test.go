package ir

import (
	"reflect"
	"strings"
	"testing"
)

// canon makes nil of empty slices, the one thing that the text form forgets.
func canon(m *Module) *Module {
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() && v.Type().Elem().PkgPath() == "assay/internal/program/ir" {
				walk(v.Elem())
			}
		case reflect.Struct:
			if v.Type().PkgPath() != "assay/internal/program/ir" {
				return
			}
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice:
			if v.Len() == 0 && v.Type().Elem().Kind() != reflect.Uint8 && !v.IsNil() {
				v.SetZero()
			}
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
	}
	walk(reflect.ValueOf(m))
	return m
}

func roundTrip(t *testing.T, m *Module) {
	t.Helper()
	text := Print(m)
	m2, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !reflect.DeepEqual(canon(m), canon(m2)) {
		t.Fatalf("differs after round trip:\n%s\n--- second:\n%s", text, Print(m2))
	}
}

const sample = `module 64 entry @main optimized
file "a.c"
file "dir/b \"q\".h"
constructor @init

global @g size 16 align 8 cname "g" init "\x01\xff\"" stride 8 cell 4 pointers !0:1:5
  reloc 8 @"odd name" -4

global @"odd name" size 4 align 4 const external

global @p size 8 align 8
  reloc 0 null 16

declare @putchar(%1: i32) -> i32

declare @printf(%1: ptr, ...) -> i32

func @pair(%1: i32 !0:2:3, %2: f64) -> i64, f64 model !0:2:1 {
b1:
  %3 = sext i64 %1
  ret %3, %2
}

func @init() {
b1:
  halt abort
}

func @va(%1: ptr, ...) -> f32 {
b1:
  vastart %1
  ret f32 1.5
}

func @main() {
  var "x" "unsigned int" 32 !0:4:7
  var "f" "float" 32 signed float pointer bool
entry:
  %1 = nondet i32 input "__VERIFIER_nondet_int" !0:4:11
  dbg 0, %1
  dbg 1
  %4 = alloca ptr i64 24 align 8 stride 8 cell 4
  store i32 7, %4 align 4
  store @g, %4
  store @pair, %4
  store null, %4
  %9 = call i64 @pair(i32 5, f64 0x7ff8000000000000)
  %10 = extract f64 %9, 1
  %11 = call i32 @printf(%4, f32 -0.0, f16 0x3c00)
  call void %4(i1 1)
  call void (@pair)(i1 1)
  %14 = fround f64 toward-zero %10
  label "L:"
  check valid-deref i1 1 "pointer \"p\"" !1:9:3
  assume i1 0
  br loop
loop:
  %18 = phi i32 [%1, entry], [%19, loop], [%19, loop]
  %19 = add i32 %18, i32 4294967295
  switch %19, b3, 0: loop, 7: loop, 4294967295: b4
b3:
  %21 = nondet i128 undef
  %22 = mul i128 %21, i128 340282366920938463463374607431768211455
  %23 = slt i1 %19, i32 10
  condbr %23, b4, b5
b4 "b3":
  unsupported "x87"
b5 "weird name":
  unreachable
}
`

func TestPrintSample(t *testing.T) {
	m, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(m); err != nil {
		t.Fatal(err)
	}
	roundTrip(t, m)
	if got := Print(m); strings.TrimSpace(got) != strings.TrimSpace(sample) {
		t.Errorf("not printed as written:\n%s", got)
	}
}
