package frontend

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/program/cprover"
	"assay/internal/program/harness"
	"assay/internal/program/llvm"
)

// This file compiles the files of a project one by one, for questions about many
// functions: each file is compiled once, and a question takes of each what its function
// reaches (Options.Link).

// Source is a C file and how it is compiled.
type Source struct {
	File string
	// Flags are clang's, from a compilation database; Directory is where clang runs, empty is here.
	Flags     []string
	Directory string
}

// Sources are the C files of the options, or of the compilation database if there are none. Files that the database
// does not list have no flags.
func Sources(o *Options) ([]Source, error) {
	units, _, err := split(o)
	var list []Source
	for _, u := range units {
		list = append(list, Source{File: u.file, Flags: u.flags, Directory: u.directory})
	}
	return list, err
}

// Unit is a compiled C file.
type Unit struct {
	File    string
	Bitcode []byte
	// Definitions are its functions and objects with a body or an initialiser.
	Definitions []Definition
	// Provided are the names among them that other files may use.
	Provided []string
	// Declared says what functions without body may do to what their parameters point to.
	Declared map[string][]pointee
	// Depends are the files that were read, the headers of the system included.
	Depends []string
	// Warnings are clang's.
	Warnings string
	// Disabled are the lines in which pragmas switch checks off.
	Disabled []cprover.Region
}

// Definition is a function or an object of a unit.
type Definition struct {
	Name     string
	Function bool
	// Digest is that of its content, Uses are the names in it (llvm.Digest).
	Digest string
	Uses   []string
	// File, Line and End are where a function stands, from the line of its name to its last
	// instruction.
	File      string
	Line, End int
	// Address says that something in the file takes the function's address.
	Address bool
	// Instructions is the size of a function, Integers are its integer parameters of more than 8 bits.
	Instructions int
	Integers     []string
	// Variadic says that the function has arguments that nothing describes: ..., or a va_list.
	Variadic bool
	// Word is how many bytes the words have whose addresses the function tells from others by their low bits, 0 if it does not.
	Word uint64
	// Allocates says that the function calls one behind a pointer that returns a pointer and gets a number of bytes, as allocators of users are called.
	Allocates bool
	// Prepares are functions that it calls with a pointer that it has passed to another function before: what they get may have been changed.
	Prepares []string
	// Structures are what its result and its parameters point to; none if what C has is not known.
	Structures []harness.Structure
}

// Told is what clang's warnings, and pragmas, tell of checks that are not made, or made otherwise (noteWarnings, disabled.go): answers
// depend on it.
func (u *Unit) Told() (told []string) {
	if m := ownExemption.FindStringSubmatch(u.Warnings); m != nil {
		told = append(told, m[0])
	}
	for _, d := range zeroDivisors(u.Warnings) {
		told = append(told, fmt.Sprint(d))
	}
	for _, w := range warnedConstants(u.Warnings) {
		told = append(told, fmt.Sprint(w.Diagnostic))
	}
	for _, r := range u.Disabled {
		told = append(told, fmt.Sprint(r))
	}
	return told
}

// Linked is what a question needs of a unit.
type Linked struct {
	Unit  *Unit
	Names []string
}

// Compile compiles a file. The error is an *InputError, an *EnvironmentError, or the cause of ctx's end.
func Compile(ctx context.Context, s Source, o Options) (*Unit, error) {
	clang, err := clangPath()
	if err != nil {
		return nil, err
	}
	list, err := os.CreateTemp("", "assay-depends-*")
	if err != nil {
		return nil, &EnvironmentError{What: "making a temporary file", Err: err}
	}
	list.Close()
	defer os.Remove(list.Name())
	o.ExtraArgs = append(slices.Clone(o.ExtraArgs), "-MD", "-MF", list.Name())
	u := unit{file: s.File, flags: s.Flags, directory: s.Directory}
	c := compile(ctx, clang, u, &o)
	if c.err != nil {
		return nil, c.err
	}
	out := &Unit{File: s.File, Bitcode: c.bitcode, Warnings: c.text, Disabled: c.disabled, Depends: readDepends(list.Name(), s.Directory)}
	if err := out.describe(); err != nil {
		return nil, err
	}
	if missing := out.bodiless(); len(missing) > 0 && out.mentionsInline() {
		again := o
		again.ExtraArgs = append([]string{"-fgnu89-inline"}, o.ExtraArgs...)
		if c := compile(ctx, clang, u, &again); c.err == nil {
			better := *out
			better.Bitcode = c.bitcode
			if err := better.describe(); err == nil && len(better.bodiless()) < len(missing) {
				out, o = &better, again
			}
		}
	}
	if len(out.bodiless()) > 0 {
		u.described = true
		if c := compile(ctx, clang, u, &o); c.err == nil {
			out.Declared = describe(c.bitcode)
		}
	}
	return out, nil
}

// describe fills in what the bitcode defines.
func (u *Unit) describe() error {
	s := llvm.Open()
	defer s.Close()
	if err := s.Read(u.File, u.Bitcode); err != nil {
		return asInputError(u.File, err)
	}
	if s.BigEndian() || s.PointerBits() != 64 && s.PointerBits() != 32 {
		return inputError(u.File, "is compiled for a machine that assay does not model")
	}
	if name := s.Reserved(); name != "" {
		return inputError(u.File, "the name "+name+" is reserved for assay")
	}
	u.Provided = s.Provided()
	p := s.Copy(append(s.FunctionNames(), u.Provided...)...)
	taken := map[string]bool{}
	note := func(v llvm.Value) {
		walkConstant(v, func(v llvm.Value) {
			if f, ok := v.(*llvm.Function); ok {
				taken[f.Name] = true
			}
		})
	}
	u.Definitions = nil
	for _, g := range p.Globals {
		if g.Init != nil {
			note(g.Init)
		}
	}
	for _, f := range p.Functions {
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				for _, a := range i.Args {
					note(a)
				}
			}
		}
	}
	digests := p.Digests()
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		x := digests[name]
		d := Definition{Name: name, Digest: fmt.Sprintf("%x", x.Hash[:16]), Uses: x.Uses}
		if f := p.Function(name); f != nil {
			d.Function, d.Address = true, taken[name]
			if int(f.Pos.File) < len(p.Files) {
				d.File = p.Files[f.Pos.File]
			}
			d.Line, d.End = int(f.Pos.Line), int(f.Pos.Line)
			if len(f.CTypes) == len(f.Params)+1 {
				for _, t := range f.CTypes {
					d.Structures = append(d.Structures, harness.StructureOf(t))
				}
			}
			d.Variadic = f.Type.Variadic || slices.ContainsFunc(f.CTypes, isArgumentList)
			for _, p := range f.Params {
				if p.Type.Kind == llvm.IntType && p.Type.Bits > 8 {
					d.Integers = append(d.Integers, p.Name)
				}
			}
			d.Word = alignedWord(f)
			d.Prepares = prepared(f)
			for _, b := range f.Blocks {
				d.Instructions += len(b.Instrs)
				for _, i := range b.Instrs {
					if i.Pos.File == f.Pos.File {
						d.End = max(d.End, int(i.Pos.Line))
					}
					d.Allocates = d.Allocates || allocatesIndirectly(i, uint32(s.PointerBits()))
				}
			}
		}
		u.Definitions = append(u.Definitions, d)
	}
	return nil
}

// allocatesIndirectly says that an instruction calls a function behind a pointer that is called like an allocator: with nothing but numbers of bytes, or a
// pointer before them, for a pointer.
func allocatesIndirectly(i *llvm.Inst, wordBits uint32) bool {
	if _, direct := i.Callee.(*llvm.Function); i.Op != llvm.Call || direct || i.Callee == nil || i.Type == nil || i.Type.Kind != llvm.PointerType || len(i.Args) == 0 {
		return false
	}
	words := 0
	for k, a := range i.Args {
		switch t := a.ValueType(); {
		case t.Kind == llvm.IntType && t.Bits == wordBits:
			words++
		case t.Kind == llvm.PointerType && k == 0:
		default:
			return false
		}
	}
	return words > 0
}

// isArgumentList says that a type is va_list.
func isArgumentList(t *llvm.CType) bool {
	for ; t != nil; t = t.Base {
		if t.Name == "struct __va_list_tag" {
			return true
		}
	}
	return false
}

// bodiless are the functions that the unit uses, and that neither it nor a model defines.
func (u *Unit) bodiless() []string {
	defined := map[string]bool{}
	for _, d := range u.Definitions {
		defined[d.Name] = true
	}
	missing := map[string]bool{}
	for _, d := range u.Definitions {
		for _, name := range d.Uses {
			if !defined[name] && !strings.HasPrefix(name, "llvm.") && modelIndex()[name] == "" && externals[name] == nil && !isInput(name) {
				missing[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(missing))
}

func (u *Unit) mentionsInline() bool {
	return slices.ContainsFunc(u.Depends, func(file string) bool {
		content, err := os.ReadFile(file)
		return err == nil && inlineWord.Match(content)
	})
}

// readDepends reads a rule for make: target: file file \ file.
func readDepends(path, directory string) []string {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	_, rule, _ := strings.Cut(string(content), ": ")
	var list []string
	for _, file := range shellWords(strings.ReplaceAll(rule, "\\\n", " ")) {
		if file = strings.TrimSpace(file); file == "" {
			continue
		}
		if !filepath.IsAbs(file) && directory != "" {
			file = filepath.Join(directory, file)
		}
		if absolute, err := filepath.Abs(file); err == nil {
			file = absolute
		}
		list = append(list, file)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// linkUnits makes the program of Options.Link.
func linkUnits(o *Options) (*llvm.Program, error) {
	s := llvm.Open()
	defer s.Close()
	s.Unpromoted, s.LocalsAtExit, s.Harnessed = o.Unpromoted, o.LocalsAtExit, o.Function != ""
	s.CheckAlignment, s.FromSource = o.CheckAlignment, true
	for _, l := range o.Link {
		o.noteWarnings(l.Unit.Warnings)
		o.disabled = append(o.disabled, l.Unit.Disabled...)
		if err := s.LinkDefinitions(l.Unit.File, l.Unit.Bitcode, l.Names); err != nil {
			return nil, asInputError(l.Unit.File, err)
		}
	}
	roots := []string{o.entry()}
	for _, m := range o.Harness.Made {
		for _, step := range slices.Concat(m.Makers, m.Changers) {
			roots = append(roots, step.Function)
		}
	}
	return complete(s, o, roots...)
}

// declaredIn is what all units say of functions without body.
func declaredIn(link []Linked) map[string][]pointee {
	found := map[string][]pointee{}
	for _, l := range link {
		for name, list := range l.Unit.Declared {
			if old, ok := found[name]; ok && !slices.Equal(old, list) {
				list = nil
			}
			found[name] = list
		}
	}
	return found
}

// Project knows which unit provides which name.
type Project struct {
	units     []*Unit
	providers map[string]int
	own       []map[string]*Definition
}

// NewProject takes the units of a project. A name that several provide is that of the first, but for their own uses.
func NewProject(units []*Unit) *Project {
	p := &Project{units: units, providers: map[string]int{}}
	for i, u := range units {
		for _, name := range u.Provided {
			if _, ok := p.providers[name]; !ok && name != "main" {
				p.providers[name] = i
			}
		}
		own := map[string]*Definition{}
		for k := range u.Definitions {
			own[u.Definitions[k].Name] = &u.Definitions[k]
		}
		p.own = append(p.own, own)
	}
	return p
}

// find is the unit that a name in a unit stands for, and the definition; nil if there is none.
func (p *Project) find(unit int, name string) (int, *Definition) {
	if d := p.own[unit][name]; d != nil {
		return unit, d
	}
	if i, ok := p.providers[name]; ok {
		return i, p.own[i][name]
	}
	return 0, nil
}

// UnitOf is the unit that defines a name that is used in a unit, nil if none does.
func (p *Project) UnitOf(unit int, name string) *Unit {
	if i, d := p.find(unit, name); d != nil {
		return p.units[i]
	}
	return nil
}

// Named is a definition of a unit.
type Named struct {
	Unit int
	Name string
}

// Reached is what functions reach.
type Reached struct {
	// Link are the units, that of the first function first, with the names that are needed of each.
	Link []Linked
	// Digests are those of all definitions, and the names that are defined nowhere, sorted.
	Digests []string
	// Instructions is the size of all functions.
	Instructions int
}

// Reach is what functions of units reach. The error is about a name that stands for two things.
func (p *Project) Reach(functions ...Named) (out Reached, err error) {
	type item = Named
	seen := map[item]bool{}
	needed := map[int]map[string]bool{}
	var work []item
	for _, x := range functions {
		if !seen[x] {
			seen[x] = true
			work = append(work, x)
		}
		if needed[x.Unit] == nil {
			needed[x.Unit] = map[string]bool{}
		}
		needed[x.Unit][x.Name] = true
	}
	unit := functions[0].Unit
	var digests []string
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		d := p.own[x.Unit][x.Name]
		if d == nil {
			continue
		}
		digests = append(digests, x.Name+" "+d.Digest)
		out.Instructions += d.Instructions
		for _, name := range d.Uses {
			i, used := p.find(x.Unit, name)
			if used == nil {
				digests = append(digests, name)
				continue
			}
			if y := (item{i, name}); !seen[y] {
				seen[y] = true
				work = append(work, y)
			}
			if i != x.Unit {
				if needed[i] == nil {
					needed[i] = map[string]bool{}
				}
				needed[i][name] = true
			}
		}
	}
	owner := map[string]int{}
	for i, names := range needed {
		for name := range names {
			if j, ok := owner[name]; ok && j != i {
				return Reached{}, fmt.Errorf("%s is defined in %s and in %s, and both are reached", name, p.units[j].File, p.units[i].File)
			}
			owner[name] = i
		}
	}
	for x := range seen { // what is used inside of another unit, and known to all
		if j, ok := owner[x.Name]; ok && j != x.Unit && slices.Contains(p.units[x.Unit].Provided, x.Name) {
			return Reached{}, fmt.Errorf("%s is defined in %s and in %s, and both are reached", x.Name, p.units[j].File, p.units[x.Unit].File)
		}
	}
	slices.Sort(digests)
	out.Digests = slices.Compact(digests)
	for i, names := range needed {
		out.Link = append(out.Link, Linked{p.units[i], slices.Sorted(maps.Keys(names))})
	}
	slices.SortFunc(out.Link, func(a, b Linked) int {
		if (a.Unit == p.units[unit]) != (b.Unit == p.units[unit]) {
			if a.Unit == p.units[unit] {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Unit.File, b.Unit.File)
	})
	return out, nil
}
