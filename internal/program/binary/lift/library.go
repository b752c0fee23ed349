package lift

import (
	"fmt"
	"strings"
)

// This file says how functions are called whose meaning is that of their name: inputs and errors of
// verification tasks, also where the file defines them, and functions of the C library. The front end has models of
// them.

// prototype is how a function of C is declared.
type prototype struct {
	result     string
	parameters []string
	// text, if not empty, stands for the call.
	text string
	// as is the name that is called instead.
	as string
}

func (x prototype) declaration(name string) string {
	parameters := strings.Join(x.parameters, ", ")
	if parameters == "" {
		parameters = "void"
	}
	prefix := ""
	if neverReturns[name] {
		prefix = "_Noreturn "
	}
	return fmt.Sprintf("%s%s %s(%s);\n", prefix, x.result, name, parameters)
}

// widened is the unsigned type of the result's size: what is above it in rax is 0.
func (x prototype) widened() string {
	switch x.result {
	case "char", "signed char", "unsigned char", "_Bool":
		return "u8"
	case "short", "unsigned short":
		return "u16"
	case "int", "unsigned":
		return "u32"
	}
	return "u64"
}

// inputs are the types of __VERIFIER_nondet_…, by what follows.
var inputs = map[string]string{
	"bool": "_Bool", "_Bool": "_Bool", "char": "char", "schar": "signed char", "uchar": "unsigned char", "short": "short", "ushort": "unsigned short", "int": "int",
	"uint": "unsigned", "unsigned": "unsigned", "unsigned_int": "unsigned", "long": "long", "ulong": "unsigned long", "longlong": "long long",
	"ulonglong": "unsigned long long", "size_t": "unsigned long", "u32": "unsigned", "u64": "unsigned long", "s32": "int", "s64": "long",
}

// library are functions of the C library with integer arguments, and those that only print.
var library = map[string]prototype{
	"abort":               {result: "void", text: "abort();"},
	"exit":                {result: "void", parameters: []string{"int"}},
	"_exit":               {result: "void", parameters: []string{"int"}},
	"_Exit":               {result: "void", parameters: []string{"int"}},
	"abs":                 {result: "int", parameters: []string{"int"}},
	"labs":                {result: "long", parameters: []string{"long"}},
	"isdigit":             {result: "int", parameters: []string{"int"}},
	"isalpha":             {result: "int", parameters: []string{"int"}},
	"isspace":             {result: "int", parameters: []string{"int"}},
	"toupper":             {result: "int", parameters: []string{"int"}},
	"tolower":             {result: "int", parameters: []string{"int"}},
	"putchar":             {result: "int", parameters: []string{"int"}},
	"puts":                {result: "int", parameters: []string{"const char *"}},
	"getchar":             {result: "int"},
	"rand":                {result: "int"},
	"malloc":              {result: "void *", parameters: []string{"unsigned long"}},
	"calloc":              {result: "void *", parameters: []string{"unsigned long", "unsigned long"}},
	"free":                {result: "void", parameters: []string{"void *"}},
	"memset":              {result: "void *", parameters: []string{"void *", "int", "unsigned long"}},
	"memcpy":              {result: "void *", parameters: []string{"void *", "const void *", "unsigned long"}},
	"strlen":              {result: "unsigned long", parameters: []string{"const char *"}},
	"__assert_fail":       {result: "void", parameters: []string{"const char *", "const char *", "unsigned", "const char *"}},
	"__VERIFIER_error":    {result: "void"},
	"reach_error":         {result: "void"},
	"__VERIFIER_assume":   {result: "void", parameters: []string{"int"}},
	"assert":              {result: "void", parameters: []string{"int"}, as: "__VERIFIER_assert"}, // where it was not declared
	"__VERIFIER_assert":   {result: "void", parameters: []string{"int"}},
	"__CPROVER_assume":    {result: "void", parameters: []string{"int"}, as: "__VERIFIER_assume"},
	"__CPROVER_assert":    {result: "void", parameters: []string{"int"}, as: "__VERIFIER_assert"},
	"__ESBMC_assume":      {result: "void", parameters: []string{"int"}, as: "__VERIFIER_assume"},
	"__VERIFIER_ltl_step": {result: "void"},
}

// meaning is the prototype of a function that is not lifted, because of its name.
func (p *program) meaning(name string) (prototype, bool) {
	for _, prefix := range []string{"__VERIFIER_nondet_", "nondet_"} {
		if kind, ok := strings.CutPrefix(name, prefix); ok {
			t, ok := inputs[kind]
			return prototype{result: t}, ok
		}
	}
	if name == "nondet" || name == "__VERIFIER_nondet" {
		return prototype{result: "int"}, true
	}
	x, ok := library[name]
	if !ok && p.options.Unmodelled != nil && !p.defines(name) && p.options.Unmodelled(name) {
		return prototype{result: "u64"}, true
	}
	if ok && (name == "reach_error" || !strings.HasPrefix(name, "__VERIFIER_")) && p.defines(name) {
		return prototype{}, false
	}
	return x, ok
}

// defines says whether the file defines a function.
func (p *program) defines(name string) bool {
	for _, n := range p.functions.at {
		if n == name {
			return true
		}
	}
	return false
}

// declare notes that a function is used.
func (p *program) declare(name string, x prototype) { p.declared[name] = x }

// externalData are objects of the C library, with their types.
var externalData = map[string]string{
	"stdin": "struct _IO_FILE *", "stdout": "struct _IO_FILE *", "stderr": "struct _IO_FILE *",
}
