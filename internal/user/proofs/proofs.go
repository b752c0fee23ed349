// Package proofs reads the folder of a proof that CBMC's starter kit set up: its Makefile names the harness, the files, the
// macros and the functions without body. It is read as make would, but nothing is run (makefile.go, expand.go).
//
//	HARNESS_ENTRY                    the function to start in
//	PROOF_SOURCES, PROJECT_SOURCES   the files
//	INCLUDES, DEFINES                flags of the compiler: -I, -D, -U, -include, -std
//	REMOVE_FUNCTION_BODY             functions whose bodies are taken away from the PROJECT_SOURCES
//	CBMCFLAGS, CHECKFLAGS            what is asked, and whether malloc may fail
//
// Bounds of unwinding (UNWINDSET, --unwind) are not needed: loops are unwound to their end, and a *true* is one
// for all iterations; nor are contracts of loops (APPLY_LOOP_CONTRACTS): invariants are asserted at each visit. What would change the question in a way that is not followed is an error with its place:
// contracts that are enforced or replaced by the makefile, restrictions of pointers to functions, static variables that
// begin with any value. Flags that are passed over are named (Ignored).
//
// Reference: https://github.com/model-checking/cbmc-starter-kit, Makefile.common; the defaults of the checks are those of CBMC 6.
package proofs

import (
	"fmt"
	"slices"
	"strings"
)

// Proof is what a proof folder asks.
type Proof struct {
	Function                  string
	Files                     []string
	Include, Define, Undefine []string
	Arguments                 []string // further ones of the compiler
	Std                       string
	Remove                    []string
	MallocMayFail             bool
	Properties                []string
	// Ignored are flags that are passed over.
	Ignored []string
}

// Read reads the Makefile in a folder.
func Read(dir string) (*Proof, error) {
	m, err := newMakefile(dir)
	if err != nil {
		return nil, err
	}
	p := &Proof{MallocMayFail: true}
	words := func(name string) []string {
		if err != nil {
			return nil
		}
		var text string
		if text, err = m.value(name); err != nil {
			return nil
		}
		var list []string
		if list, err = split(text); err != nil {
			err = m.where(name).fail("%s: %v", name, err)
		}
		return list
	}
	entry := words("HARNESS_ENTRY")
	own, project := m.absolute(words("PROOF_SOURCES")), m.absolute(words("PROJECT_SOURCES"))
	p.Files = unique(slices.Concat(own, project))
	compiler := append(words("INCLUDES"), words("DEFINES")...)
	removed := words("REMOVE_FUNCTION_BODY")
	flags := append(words("CHECKFLAGS"), words("CBMCFLAGS")...)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"CHECK_FUNCTION_CONTRACTS", "CHECK_FUNCTION_CONTRACTS_REC", "USE_FUNCTION_CONTRACTS", "RESTRICT_FUNCTION_POINTER", "NONDET_STATIC"} {
		if list := words(name); len(list) > 0 {
			return nil, m.where(name).fail("%s is not understood", name)
		}
	}
	if err != nil {
		return nil, err
	}
	switch {
	case len(entry) != 1:
		return nil, m.where("HARNESS_ENTRY").fail("HARNESS_ENTRY names %d functions", len(entry))
	case len(p.Files) == 0:
		return nil, m.where("PROOF_SOURCES").fail("PROOF_SOURCES and PROJECT_SOURCES name no file")
	}
	p.Function = entry[0]
	for _, file := range unique(project) {
		for _, f := range unique(removed) {
			p.Remove = append(p.Remove, file+":"+f)
		}
	}
	if word := p.compile(compiler); word != "" {
		return nil, m.where("DEFINES").fail("the flag %s of the compiler is not understood", word)
	}
	p.Include = m.absolute(p.Include)
	if word := p.ask(flags); word != "" {
		return nil, m.where("CBMCFLAGS").fail("the flag %s of CBMC is not understood", word)
	}
	return p, nil
}

// where is the last place that gave a variable its value.
func (m *makefile) where(name string) place {
	if v := m.variables[name]; v != nil {
		return v.parts[len(v.parts)-1].at
	}
	return place{m.dir + "/Makefile", 1}
}

// compile takes flags of the compiler; it returns one that it does not know.
func (p *Proof) compile(words []string) (unknown string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		value := func(prefix string) string {
			if x := w[len(prefix):]; x != "" || i+1 == len(words) {
				return x
			}
			i++
			return words[i]
		}
		switch {
		case strings.HasPrefix(w, "-I"):
			p.Include = append(p.Include, value("-I"))
		case strings.HasPrefix(w, "-D"):
			p.Define = append(p.Define, value("-D"))
		case strings.HasPrefix(w, "-U"):
			p.Undefine = append(p.Undefine, value("-U"))
		case strings.HasPrefix(w, "-std="):
			p.Std = w[len("-std="):]
		case w == "-include" && i+1 < len(words):
			i++
			p.Arguments = append(p.Arguments, w, words[i])
		default:
			return w
		}
	}
	return ""
}

// The checks of CBMC: the property of each, and whether CBMC 6 makes it unasked.
var checks = []struct {
	name, property string
	unasked        bool
}{
	{"bounds", "valid-deref", true}, {"pointer", "valid-deref", true}, {"div-by-zero", "div-by-zero", true},
	{"signed-overflow", "no-overflow", true}, {"undefined-shift", "shift", true},
	{"unsigned-overflow", "unsigned-overflow", false}, {"conversion", "implicit-conversion", false}, {"nan", "nan", false},
	{"float-overflow", "", false}, {"pointer-overflow", "", false}, {"pointer-primitive", "", true}, {"enum-range", "", false},
}

// pure are flags that change no answer; those with an argument have a number.
var pure = map[string]int{
	"--flush": 0, "--object-bits": 1, "--unwind": 1, "--unwindset": 1, "--unwinding-assertions": 0, "--no-unwinding-assertions": 0, "--trace": 0, "--verbosity": 1,
	"--slice-formula": 0, "--external-sat-solver": 1, "--sat-solver": 1, "--malloc-fail-null": 0, "--xml-ui": 0, "--json-ui": 0, "--drop-unused-functions": 0, "--depth": 1,
}

// ask takes the flags of CBMC: what holds is the last word on each; it returns one that it does not know.
func (p *Proof) ask(words []string) (unknown string) {
	asked := map[string]bool{}
	for _, c := range checks {
		asked[c.name] = c.unasked
	}
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, isCheck := strings.CutSuffix(strings.TrimPrefix(w, "--"), "-check")
		positive, no := strings.CutPrefix(name, "no-")
		if _, known := asked[positive]; isCheck && known {
			asked[positive] = !no
			continue
		}
		flag, _, joined := strings.Cut(w, "=")
		n, known := pure[flag]
		switch {
		case w == "--malloc-may-fail", w == "--no-malloc-may-fail":
			p.MallocMayFail = w == "--malloc-may-fail"
		case w == "--no-standard-checks":
			for _, c := range checks {
				asked[c.name] = false
			}
		case known:
			if !joined {
				i += n
			}
			if flag == "--depth" {
				p.Ignored = append(p.Ignored, w)
			}
		default:
			return w
		}
	}
	p.Properties = []string{"unreach-call"}
	for _, c := range checks {
		switch {
		case !asked[c.name] || slices.Contains(p.Properties, c.property):
		case c.property == "":
			p.Ignored = append(p.Ignored, "--"+c.name+"-check")
		default:
			p.Properties = append(p.Properties, c.property)
		}
	}
	if slices.Contains(p.Properties, "valid-deref") {
		p.Properties = append(p.Properties, "valid-free")
	}
	return ""
}

// split splits as a shell does, quotes and backslashes, nothing else.
func split(text string) (words []string, err error) {
	var b strings.Builder
	begun, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
			begun = true
		case quote != 0:
			b.WriteByte(c)
		case c == '"' || c == '\'':
			quote, begun = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if begun {
				words = append(words, b.String())
				b.Reset()
			}
			begun = false
		case strings.IndexByte("$`;&|<>", c) >= 0 && quote == 0:
			return nil, fmt.Errorf("%q means something to a shell", string(c))
		default:
			b.WriteByte(c)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c has no end", quote)
	}
	if begun {
		words = append(words, b.String())
	}
	return words, nil
}

// unique is a list without what it has twice.
func unique(list []string) (out []string) {
	for _, x := range list {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
