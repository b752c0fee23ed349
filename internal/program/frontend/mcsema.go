package frontend

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/internal/run/lazyregexp"
)

// This file takes the C that McSema, with a printer of C for LLVM, makes of machine code: functions
//
//	void* sub_401111_main(struct l_struct_struct_OC_State* state, long pc, void* memory)
//
// whose registers are fields of the State. Runs start in main, if the file has it, else in the function that was
// lifted from main (*_main, or dummy_main), with a State of zeros whose stack pointer points to the end of a
// fresh object of zeros (mcsemaStack bytes at the address mcsemaAddress: an assumption that is said). What was lifted from
// __VERIFIER_nondet_* and __VERIFIER_error has the meaning of these: a body that returns what the register held
// says nothing. In llvm, Flatten makes variables of the registers.
//
// A global of the program is a struct with its bytes. In atoms its name is the integer of its size, if that is 1, 2, 4 or 8.

const (
	mcsemaStack   = 64 << 10
	mcsemaAddress = 0x40000000
)

// A lifted function: 1 its declarator, 2 its name, 3 its parameters.
var mcsemaFunction = lazyregexp.New(`(?m)^ ?(void ?\* ?(\w+)\((struct l_struct_struct_OC_State ?\* ?\w+ ?, ?[\w ]+ ?, ?void ?\* ?\w+) ?\)) ?\n?\{`)

var (
	mcsemaInput  = lazyregexp.New(`^(?:sub_[0-9a-f]+_)?__VERIFIER_nondet_(\w+)$`)
	mcsemaError  = lazyregexp.New(`^(?:sub_[0-9a-f]+_)?(?:__VERIFIER_error|reach_error)$`)
	mcsemaMain   = lazyregexp.New(`^(?:sub_[0-9a-f]+_main|dummy_main)$`)
	definesMain  = lazyregexp.New(`(?m)^(?:int|void)\s+main\s*\(`)
	mcsemaGlobal = lazyregexp.New(`(?m)^(?:extern )?struct l_struct_\w+_type (\w+)\b`)
	mcsemaState  = lazyregexp.New(`(?m)^(?:extern )?struct l_struct_struct_OC_State ?\* ?globalState ?;`)
	ownMain      = lazyregexp.New(`(?m)^(?:int|void)\s+main\s*\([^)]*\)\s*\{`)
	errorCall    = lazyregexp.New(`^\s*\{\s*__VERIFIER_error\(\);`)
	lastName     = lazyregexp.New(`(\w+)\s*$`)
)

// readsMcSema puts a program that McSema lifted in the place of the file, in a folder that the caller removes.
func readsMcSema(o *Options) (folder string, err error) {
	if len(o.Files) != 1 || filepath.Ext(o.Files[0]) != ".c" {
		return "", nil
	}
	content, err := os.ReadFile(o.Files[0])
	if err != nil {
		return "", nil // it is told where the file is compiled
	}
	text, start := fromMcSema(string(content), o.Function)
	if start == "" {
		return "", nil
	}
	if folder, err = os.MkdirTemp("", "assay-mcsema-"); err != nil {
		return "", &EnvironmentError{What: "writing the lifted program", Err: err}
	}
	file := filepath.Join(folder, filepath.Base(o.Files[0]))
	if err := os.WriteFile(file, []byte("#line 1 "+strconv.Quote(o.Files[0])+"\n"+text), 0o600); err != nil {
		os.RemoveAll(folder)
		return "", &EnvironmentError{What: "writing the lifted program", Err: err}
	}
	beside, err := filepath.Abs(filepath.Dir(o.Files[0]))
	if err != nil {
		os.RemoveAll(folder)
		return "", &EnvironmentError{What: "writing the lifted program", Err: err}
	}
	o.Files, o.Function, o.flatten = []string{file}, "", "was lifted from machine code by McSema: "+start
	if narrowRegisters(text) {
		o.DataModel = ILP32
		o.flatten += "; addresses have 32 bits, as its registers"
	}
	o.flatten += "; docs/soundness.md, Binaries, says what that rests on"
	o.ExtraArgs = slices.Concat(o.ExtraArgs, liftedArgs, []string{"-iquote", beside})
	return folder, nil
}

// fromMcSema is the program with what starts it, the function if one is named, and what is assumed of the start; that is empty
// if the program is none of McSema's, or does not start in what was lifted.
func fromMcSema(text, function string) (program, assumed string) {
	functions := mcsemaFunction.FindAllStringSubmatch(text, -1)
	own := definesMain.MatchString(text) && (function == "" || function == "main")
	start := ""
	for _, f := range functions {
		if name := f[2]; name == function || function == "" && mcsemaMain.MatchString(name) {
			start = name
		}
	}
	if len(functions) == 0 || !own && start == "" {
		return "", ""
	}
	assumed = "runs start in main; globals whose addresses are computed with lie at fixed addresses"
	var head, tail strings.Builder
	for _, f := range functions {
		declarator, name, parameters := f[1], f[2], f[3]
		effect := ""
		state := lastName.FindStringSubmatch(strings.Split(parameters, ",")[0])[1]
		switch m := mcsemaInput.FindStringSubmatch(name); {
		case m != nil:
			half := "(unsigned)" // what is written to 32 bits of a register clears the others
			if strings.Contains(m[1], "long") || m[1] == "pointer" || m[1] == "size_t" {
				half = "(unsigned long)"
			}
			effect = fmt.Sprintf("%s->field6.field1.field0.field0 = %s__VERIFIER_nondet_%s();", state, half, m[1])
			fmt.Fprintf(&head, "extern %s __VERIFIER_nondet_%s(void); ", nondetType(m[1]), m[1])
		case mcsemaError.MatchString(name):
			effect = "reach_error();" // once what was lifted has been done, which may note it in a variable
			body := strings.Index(text, f[0]) + len(f[0]) - 1
			if call := errorCall.FindStringIndex(text[body:]); call != nil {
				end := body + call[1]
				text = text[:end-len("__VERIFIER_error();")] + strings.Repeat(" ", len("__VERIFIER_error()")) + text[end-1:]
			}
			head.WriteString("extern void reach_error(void); ")
		default:
			continue
		}
		// What was lifted is done first: it pops the return address.
		text = strings.Replace(text, declarator, declarator+"; "+strings.Replace(declarator, name, name+"_lifted", 1), 1)
		var arguments []string
		for _, p := range strings.Split(parameters, ",") {
			arguments = append(arguments, lastName.FindStringSubmatch(p)[1])
		}
		fmt.Fprintf(&tail, "%s { void *r = %s_lifted(%s); %s return r; }\n", declarator, name, strings.Join(arguments, ", "), effect)
	}
	if strings.Contains(text, "LLVMCountPopulation") {
		head.WriteString("static int LLVMCountPopulation(int bits, void *number) { return __builtin_popcount(*(unsigned *)number); } ")
	}
	fmt.Fprintf(&tail, `extern _Noreturn void __assay_unsupported(const char *);
void assay_in_place(_Bool is) { if (!is) __assay_unsupported("an address that lies in no object that is known of the lifted program"); }
`)
	if !own {
		assumed = fmt.Sprintf("runs start in %s with registers of 0 and a stack of %d KiB of zeros at address %#x", start, mcsemaStack>>10, mcsemaAddress)
		text = definesMain.ReplaceAllStringFunc(text, func(m string) string { return strings.Replace(m, "main", "assay_main", 1) })
		global := ""
		if mcsemaState.MatchString(text) {
			global = "  globalState = &state;\n"
			tail.WriteString("struct l_struct_struct_OC_State *globalState;\n")
		}
		fmt.Fprintf(&tail, `extern void assay_place(void *, unsigned long);
int main(void) {
  struct l_struct_struct_OC_State state = {0};
  char stack[%d] = {0};
  assay_place(stack, %dUL);
%s  state.field6.field13.field0.field0 = %dUL;
  %s(&state, 0, 0);
  return 0;
}
`, mcsemaStack, mcsemaAddress, global, mcsemaAddress+mcsemaStack-16, start)
	}
	if m := ownMain.FindStringIndex(text); own && m != nil && !strings.Contains(text, "globalState->") {
		// The State is a local of main, where it has been a global: nothing else names it.
		rest := strings.Replace(text[m[1]:], "= &global_state;", "= &assay_state;", 1)
		text = text[:m[1]] + " struct l_struct_struct_OC_State assay_state = {0};" + rest
	}
	seen := map[string]bool{}
	for _, g := range mcsemaGlobal.FindAllStringSubmatch(text, -1) {
		if !seen[g[1]] {
			seen[g[1]] = true
			fmt.Fprintf(&tail, "#define %[1]s (*(__typeof__(__builtin_choose_expr(sizeof %[1]s == 1, (signed char)0, __builtin_choose_expr(sizeof %[1]s == 2, (short)0, __builtin_choose_expr(sizeof %[1]s == 4, 0, __builtin_choose_expr(sizeof %[1]s == 8, (long long)0, %[1]s))))) *)&%[1]s)\n", g[1])
		}
	}
	lines := strings.Count(text, "\n") + 2
	return head.String() + text + fmt.Sprintf("\n#line %d\n", lines) + tail.String(), assumed
}

// A member of a struct: 1 its type.
var mcsemaStruct = lazyregexp.New(`(struct l_\w+) \{\s*([^{}]*?) ?field0;`)

// narrowRegisters says whether the general registers are those of a 32-bit processor. (Where int stands for all
// types, they may be any.)
func narrowRegisters(text string) bool {
	first := map[string]string{}
	for _, m := range mcsemaStruct.FindAllStringSubmatch(text, -1) {
		first[m[1]] = m[2]
	}
	t := "struct l_struct_struct_OC_Reg"
	for range 8 {
		if next, ok := first[t]; ok {
			t = next
		}
	}
	return t == "unsigned int"
}

// nondetType is the type of __VERIFIER_nondet_NAME.
func nondetType(name string) string {
	if t, ok := map[string]string{"uint": "unsigned", "uchar": "unsigned char", "ushort": "unsigned short", "ulong": "unsigned long", "bool": "_Bool", "longlong": "long long", "pointer": "void *"}[name]; ok {
		return t
	}
	return name
}
