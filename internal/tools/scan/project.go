package scan

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/run/lazyregexp"
)

// This file finds the C files of a project: those of a compilation database, or those of a
// folder. Of a folder without a database nobody knows where headers are: a folder of the tree that
// has a missing header is added to the search path of the file.

const databaseName = "compile_commands.json"

// source is a C file of the project.
type source struct {
	frontend.Source
	stub bool // from Options.Stubs: nobody looks at its functions
}

// project is what there is to look at.
type project struct {
	root    string
	sources []source
	headers map[string][]string // by base name: the paths in the tree
	// templates are files of which a build makes a header, by its base name: config.h.in.
	templates map[string]string
}

// findProject reads folders, files and databases.
func findProject(o *Options) (*project, error) {
	paths := o.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	p := &project{headers: map[string][]string{}, templates: map[string]string{}}
	seen := map[string]bool{}
	add := func(s frontend.Source, asked bool) {
		s.File = absolute(s.File)
		if !seen[s.File] && (asked || !o.excludes(p.root, s.File)) {
			seen[s.File] = true
			p.sources = append(p.sources, source{Source: s})
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, &assay.InputError{Message: path + ": " + errors.Unwrap(err).Error(), Hint: "usage: assay scan [flags] [folder, file or compile_commands.json]…"}
		}
		folder := absolute(path)
		if !info.IsDir() {
			folder = filepath.Dir(folder)
		}
		if p.root == "" {
			p.root = folder
		} else {
			p.root = common(p.root, folder)
		}
	}
	if o.Root != "" {
		p.root = absolute(o.Root)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		database := o.Program.CompileCommands
		switch {
		case !info.IsDir() && filepath.Base(path) == databaseName:
			if err := fromDatabase(path, "", add); err != nil {
				return nil, err
			}
			continue
		case info.IsDir() && database == "":
			database = databaseIn(path)
		}
		if info.IsDir() && database != "" {
			if err := fromDatabase(database, absolute(path), add); err != nil {
				return nil, err
			}
			continue
		}
		if !info.IsDir() {
			list, err := frontend.Sources(&frontend.Options{Files: []string{path}, CompileCommands: database})
			if err != nil {
				return nil, inputError(err)
			}
			for _, s := range list {
				add(s, true)
			}
			continue
		}
		if err := p.walk(o, path, add); err != nil {
			return nil, err
		}
	}
	if len(p.sources) == 0 {
		return nil, &assay.InputError{Message: "no C files in " + strings.Join(paths, ", "), Hint: "name a folder with .c files, files, or a compile_commands.json; see also exclude in assay.toml"}
	}
	if p.headers[""] == nil {
		_ = p.walk(o, p.root, nil)
	}
	for folder, n := p.root, 0; n < includeLevels; n++ { // of src, the headers are in an include beside it
		if exists(filepath.Join(folder, ".git")) || filepath.Dir(folder) == folder {
			break
		}
		folder = filepath.Dir(folder)
		if include := filepath.Join(folder, "include"); exists(include) {
			_ = p.walk(o, include, nil)
		}
		p.noteTemplates(folder)
	}
	for _, path := range o.Stubs {
		p.sources = append(p.sources, source{frontend.Source{File: absolute(path)}, true})
	}
	return p, nil
}

// includeLevels is how many folders above the one that is scanned may have an include folder.
const includeLevels = 2

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// templateEnds is how files end of which a build makes a header.
var templateEnds = []string{".in", ".cmake", ".cmake.in", ".meson", ".meson.in", ".def.in"}

// noteTemplate notes that a file is one of which a build makes a header.
func (p *project) noteTemplate(path string) {
	for _, end := range templateEnds {
		if name, ok := strings.CutSuffix(filepath.Base(path), end); ok && strings.HasSuffix(name, ".h") {
			p.templates[name] = absolute(path)
		}
	}
}

// noteTemplates notes those of a folder.
func (p *project) noteTemplates(folder string) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range list {
		p.noteTemplate(filepath.Join(folder, e.Name()))
	}
}

func absolute(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}

// common is the folder that two folders are in.
func common(a, b string) string {
	for a != b && !strings.HasPrefix(b, strings.TrimSuffix(a, "/")+"/") {
		a = filepath.Dir(a)
	}
	return a
}

// databaseIn finds a database where builds leave it.
func databaseIn(folder string) string {
	for _, sub := range []string{"", "build", "out", "builddir", "cmake-build-debug"} {
		path := filepath.Join(folder, sub, databaseName)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

func fromDatabase(path, below string, add func(frontend.Source, bool)) error {
	list, err := frontend.Sources(&frontend.Options{CompileCommands: path})
	if err != nil {
		return inputError(err)
	}
	for _, s := range list {
		if below == "" || strings.HasPrefix(absolute(s.File), below+"/") {
			add(s, false)
		}
	}
	return nil
}

// walk finds the files of a folder, and headers; hidden folders are left out.
func (p *project) walk(o *Options, path string, add func(frontend.Source, bool)) error {
	p.headers[""] = []string{}
	return filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && file != path && strings.HasPrefix(name, "."):
			return filepath.SkipDir
		case d.IsDir():
		case strings.HasSuffix(name, ".c") && add != nil:
			add(frontend.Source{File: file}, false)
		case strings.HasSuffix(name, ".h"):
			p.headers[name] = append(p.headers[name], absolute(file))
		default:
			p.noteTemplate(file)
		}
		return nil
	})
}

// excludes says whether the patterns leave a file out. A pattern is for the path below
// the root; one without a slash is for any part of it.
func (o *Options) excludes(root, file string) bool {
	relative := relativeTo(root, file)
	return slices.ContainsFunc(o.Exclude, func(pattern string) bool {
		if !strings.Contains(pattern, "/") {
			return slices.ContainsFunc(strings.Split(relative, "/"), func(part string) bool {
				ok, _ := doublestar.Match(pattern, part)
				return ok
			})
		}
		ok, _ := doublestar.Match(strings.TrimSuffix(pattern, "/"), relative)
		inside, _ := doublestar.Match(strings.TrimSuffix(pattern, "/")+"/**", relative)
		return ok || inside
	})
}

// relativeTo is a path for people.
func relativeTo(root, file string) string {
	if r, err := filepath.Rel(root, file); err == nil && !strings.HasPrefix(r, "..") {
		return r
	}
	return filepath.Clean(file)
}

var missingHeader = lazyregexp.New(`error: '([^']+)' file not found`)

// compile compiles a file; folders with headers that are missing are added to its flags.
func (p *project) compile(ctx context.Context, s *source, o frontend.Options) (*frontend.Unit, error) {
	for {
		u, err := frontend.Compile(ctx, s.Source, o)
		if err == nil {
			return u, nil
		}
		m := missingHeader.FindStringSubmatch(err.Error())
		if m == nil {
			return nil, err
		}
		folder := p.headerFolder(m[1], filepath.Dir(s.File))
		if folder == "" || slices.Contains(s.Flags, "-I"+folder) {
			return nil, p.explain(m[1], err)
		}
		s.Flags = append(slices.Clone(s.Flags), "-I"+folder)
	}
}

// explain says of a header that is missing that a build makes it, if something in the tree tells.
func (p *project) explain(name string, err error) error {
	var input *frontend.InputError
	template := p.templates[filepath.Base(name)]
	if !errors.As(err, &input) || template == "" {
		return err
	}
	by := "configure, or cmake,"
	if strings.Contains(filepath.Base(template), ".cmake") {
		by = "cmake"
	} else if strings.Contains(filepath.Base(template), ".meson") {
		by = "meson"
	}
	out := *input
	out.Hint = by + " makes " + name + " of " + relativeTo(p.root, template) + ": run it before, and name with -I where it puts the header, or with -p where it leaves a compile_commands.json"
	return &out
}

// headerFolder is a folder below which a header is, the nearest one if there are several.
func (p *project) headerFolder(name, from string) string {
	best := ""
	for _, path := range p.headers[filepath.Base(name)] {
		folder, ok := strings.CutSuffix(path, "/"+filepath.Clean(name))
		if ok && (best == "" || len(common(folder, from)) > len(common(best, from))) {
			best = folder
		}
	}
	return best
}

// inputError is an error of the front end as one of ours.
func inputError(err error) error {
	var input *frontend.InputError
	if errors.As(err, &input) {
		return &assay.InputError{Message: input.Error(), Verbatim: true}
	}
	var environment *frontend.EnvironmentError
	if errors.As(err, &environment) {
		return &assay.EnvironmentError{Doing: "reading the project", Err: err}
	}
	return err
}
