package proofs

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// folder writes files below a new folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// common is a makefile of the kind that the starter kit puts beside the proofs.
const common = `
MAKEFILE_PATHS = $(foreach makefile,$(MAKEFILE_LIST),$(abspath $(makefile)))
PROOF_ROOT = $(dir $(filter %/Makefile.common,$(MAKEFILE_PATHS)))
CBMC_ROOT = $(shell dirname $(PROOF_ROOT))
sinclude $(PROOF_ROOT)/Makefile-that-is-not-there
SRCDIR ?= $(abspath ../../..)
PROOFDIR ?= $(abspath .)
CBMC_FLAG_NAN_CHECK ?= --nan-check # on
ifneq ($(strip $(NO_NAN)),)
  CBMC_FLAG_NAN_CHECK = --no-nan-check
else ifeq ($(strip $(ENABLE_POOLS)),)
  POOL =
else
  POOL = $(unknown function)
endif
CHECKFLAGS += $(CBMC_FLAG_NAN_CHECK)
CBMCFLAGS += --object-bits $(CBMC_OBJECT_BITS)
CBMC_OBJECT_BITS ?= 8
DEFINES += -DLIMIT="(SIZE_MAX>>(CBMC_OBJECT_BITS+1))" \
           -DBITS=$(CBMC_OBJECT_BITS)
INCLUDES += -I$(CBMC_ROOT)/include -I $(SRCDIR)/include
export SHELL=/bin/bash
NEVER_ASKED = $(shell rm -rf $(SRCDIR))
$(foreach s,$(REWRITTEN),$(eval $(s).json: x))
all: $(PROOF_SOURCES)
	$(MAKE) HARNESS_ENTRY=wrong
	ifdef this is a recipe
.PHONY: all
`

// TestRead: a folder as the starter kit makes it.
func TestRead(t *testing.T) {
	root := folder(t, map[string]string{
		"cbmc/proofs/Makefile.common": common,
		"cbmc/proofs/f/Makefile": `
# a comment \
  that goes on
MAX = 3
UNWINDSET += loop.0:$(shell unknown command)
HARNESS_ENTRY = $(NAME)_harness
NAME := f
PROOF_SOURCES += $(PROOFDIR)/$(HARNESS_ENTRY).c
PROOF_SOURCES += $(CBMC_ROOT)/stubs/a.c
PROJECT_SOURCES += $(SRCDIR)/source/f.c
PROJECT_SOURCES += $(SRCDIR)/source/f.c
DEFINES += -DSIZE=$(shell echo $$(($(MAX) * 2 + 1)))
REMOVE_FUNCTION_BODY += abort
APPLY_LOOP_CONTRACTS = on
NO_NAN = 1
CBMCFLAGS += --no-malloc-may-fail --unsigned-overflow-check --float-overflow-check --no-div-by-zero-check --unwind 1
include ../Makefile.common
`})
	got, err := Read(filepath.Join(root, "cbmc/proofs/f"))
	if err != nil {
		t.Fatal(err)
	}
	want := &Proof{
		Function: "f_harness",
		Files:    []string{root + "/cbmc/proofs/f/f_harness.c", root + "/cbmc/stubs/a.c", root + "/source/f.c"},
		Include:  []string{root + "/cbmc/include", root + "/include"}, Define: []string{"SIZE=7", "LIMIT=(SIZE_MAX>>(CBMC_OBJECT_BITS+1))", "BITS=8"},
		Remove:     []string{root + "/source/f.c:abort"},
		Properties: []string{"unreach-call", "valid-deref", "no-overflow", "shift", "unsigned-overflow", "valid-free"},
		Ignored:    []string{"--float-overflow-check", "--pointer-primitive-check"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// TestErrors: what is not understood is an error with its place, if it matters.
func TestErrors(t *testing.T) {
	const good = "HARNESS_ENTRY = f\nPROOF_SOURCES = f.c\n"
	for _, x := range []struct {
		name, text string
		line       int
		want       string
	}{
		{"no entry", "PROOF_SOURCES = f.c\n", 1, "HARNESS_ENTRY names 0 functions"},
		{"two entries", "\nHARNESS_ENTRY = f g\nPROOF_SOURCES = f.c\n", 2, "HARNESS_ENTRY names 2 functions"},
		{"no file", "HARNESS_ENTRY = f\n", 1, "name no file"},
		{"command", good + "DEFINES = -DX\nDEFINES += -DY=$(shell date)\n", 4, `"date" of $(shell …) is not run`},
		{"command at once", good + "X := $(shell touch x)\n", 3, "is not run"},
		{"function", good + "INCLUDES = $(wildcard *.h)\n", 3, "wildcard"},
		{"itself", good + "A = $(B)\nB = $(A)\nDEFINES = $(A)\n", 3, "refers to itself"},
		{"includes itself", good + "include Makefile\n", 3, "are included"},
		{"missing", good + "include nowhere\n", 3, "nowhere cannot be read"},
		{"compiler", good + "DEFINES = -DX -fwrapv\n", 3, "-fwrapv of the compiler"},
		{"contracts", good + "USE_FUNCTION_CONTRACTS = g\n", 3, "USE_FUNCTION_CONTRACTS is not understood"},
		{"static", good + "NONDET_STATIC = --nondet-static\n", 3, "NONDET_STATIC"},
		{"pointers", good + "RESTRICT_FUNCTION_POINTER = f.function_pointer_call.1/g\n", 3, "RESTRICT_FUNCTION_POINTER"},
		{"flag", good + "CBMCFLAGS = --string-abstraction\n", 3, "--string-abstraction of CBMC"},
		{"quote", good + "DEFINES = -DX='a\n", 3, "has no end"},
		{"shell", good + "DEFINES = -DX=`date`\n", 3, "means something to a shell"},
		{"define", good + "define X\n", 3, "define without endef"},
		{"a call of nothing", good + "DEFINES = $(call f,1)\n", 3, "the call of f"},
		{"a call that does not end", good + "f = $(call f,1)\nDEFINES = $(call f,1)\n", 3, "refers to itself"},
		{"error", good + "$(error no)\n", 3, "the makefile stops: no"},
		{"expr", good + "DEFINES = $(shell expr 1 2)\n", 3, "is not run"},
		{"expr of a file", good + "DEFINES = $(shell expr 1 * 2)\n", 3, "is not run"},
		{"line", good + "\nwhat is this\n", 4, "neither an assignment nor a rule"},
		{"condition", good + "ifdef X\n", 4, "has no endif"},
		{"else", good + "else\n", 3, "else without"},
		{"endif", good + "endif\n", 3, "endif without"},
		{"reference", good + "DEFINES = $(X\n", 3, "has no end"},
		{"assignment", good + "X != date\n", 3, "!= is not understood"},
		{"comparison", good + "ifeq a b\nendif\n", 3, "comparison a b"},
	} {
		dir := folder(t, map[string]string{"Makefile": x.text})
		_, err := Read(dir)
		var wrong *Error
		if !errors.As(err, &wrong) || wrong.Line != x.line || !strings.Contains(wrong.Text, x.want) || wrong.File != dir+"/Makefile" {
			t.Errorf("%s: got %v, want line %d: %s", x.name, err, x.line, x.want)
		}
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("a folder without Makefile is read")
	}
}

// TestExpand: values as GNU make 4.3 gives them; of conditions, flavours of variables, and functions.
func TestExpand(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"X = a$(Y)\nY = b\n", "ab"},
		{"X := a$(Y)\nY = b\n", "a"},
		{"X = 1\nX += 2\nX +=3\n", "1 2 3"},
		{"Y = 1\nX := $(Y)\nX += $(Y)\nY = 2\n", "1 1"},
		{"X ?= 1\nX ?= 2\n", "1"},
		{"X = ${Y}$$(z)\nY=c # comment\n", "c $(z)"},
		{"X = a \\\n   b\\\nc\n", "a b c"},
		{"ifeq ($(Y),)\nX = 1\nelse\nX = 2\nendif\n", "1"},
		{"Y = 1\nifeq \"$(Y)\" \"1\"\nX = 1\nendif\n", "1"},
		{"Y = 1\nifneq ($(Y), 1)\nX = 1\nelse ifdef Y\nX = 2\nelse\nX = 3\nendif\n", "2"},
		{"Y =\nifdef Y\nX = 1\nelse\nX = 2\nendif\n", "2"},
		{"ifdef Z\nifdef Z\nelse\nX = 0\nendif\nelse\nX = 1\nendif\n", "1"},
		{"X = $(dir a/b c) $(notdir a/b c/) $(basename a.c/b.c) $(suffix x.c y)\n", "a/ ./ b  a.c/b .c "},
		{"X = $(patsubst %.c,%.o,a.c b.h) $(subst a,b,banana) $(Y:.c=.o) $(Y:%=<%>)\nY = x.c y\n", "a.o b.h bbnbnb x.o y <x.c> <y>"},
		{"X = $(filter %.c a,a b.c d) $(filter-out a,a b) $(addprefix -I,a b) $(addsuffix /,a)\n", "a b.c b -Ia -Ib a/"},
		{"X = $(strip  a   b ) $(sort b a b) $(firstword a b) $(lastword a b)\n", "a b a b a b"},
		{"X = $(if $(Y),yes,no) $(if a,yes)\n", "no yes"},
		{"X = $(foreach y,a b,$(y)$(y)) $(y)\n", "aa bb "},
		{"X = $(shell echo $$((2 + 3 * (4 - 1)))) $(shell echo $$(($$((7 / 2)) - 5)))\n", "11 -2"},
		{"X = $(shell expr 5 + 1 \\* 3) $(shell expr \\( 1 + 2 \\) / 2)\n", "8 1"},
		{"X = $(shell which kissat)$(shell command -v make).\nifneq ($(shell which cvc5),)\nX = solver\nendif\n", "."},
		{"addone = $(shell expr $(1) + 1)\nX = $(call addone,$(call addone,3)) $(1)\n", "5 "},
		{"in = <$(1)$(2)>\nout = $(call in,$(2)) $(2)\nX = $(call out,a,b)\n", "<b> b"},
		{"X = $(warning w)$(info i)$(findstring b,abc)$(findstring x,abc)\nifndef Y\n       $(warning Y is not set)\nendif\n", "b"},
		{"Y = 3\ndefine X\na $(Y)\n  b\ndefine within\nendef\nendef\n", "a 3 b define within endef"},
		{"ifdef Y\ndefine X\na\nendef\nelse\nX = 2\nendif\n", "2"},
		{"X = $(shell dirname /a/b/)\n", "/a"},
		{"t: X = 1\nt: y ; X = 2\n\tX = 3\nX = 4\n", "4"},
		{"export X = 5\n", "5"},
	} {
		m, err := newMakefile(folder(t, map[string]string{"Makefile": x.text}))
		if err != nil {
			t.Errorf("%q: %v", x.text, err)
			continue
		}
		if got, err := m.value("X"); err != nil || strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(x.want), " ") {
			t.Errorf("%q: got %q, %v, want %q", x.text, got, err, x.want)
		}
	}
}

// FuzzRead: no makefile, however wrong, does more than make an error with a place.
func FuzzRead(f *testing.F) {
	f.Add(common)
	f.Add("X = $(shell echo $$((1/0)))\nHARNESS_ENTRY := $(X)\n")
	f.Add("A = $(A)$(A)\nHARNESS_ENTRY := $(A)\n")
	f.Add("ifeq '' \"\nelse ifeq (\nendif\nX ::= $(Y:%=\n")
	f.Add("B = $(A)$(A)$(A)$(A)\nA = $(C)$(C)$(C)$(C)\nC = $(foreach a,$(D),$(D))\nD=$(subst ,,)\nPROOF_SOURCES = $(B)\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "include") {
			return // of files of this machine
		}
		p, err := Read(folder(t, map[string]string{"Makefile": text}))
		var wrong *Error
		if err != nil && (!errors.As(err, &wrong) || wrong.Line < 1) || err == nil && (p.Function == "" || len(p.Files) == 0) {
			t.Errorf("%v, %v", p, err)
		}
	})
}
