package bench

// Task definitions of BenchExec, as its documentation and its reader have
// them: one YAML file a program, with the input files, a list of properties,
// each with its expected verdict, and the language and data model. Every
// property becomes a Task of its own, named after the property file as
// BenchExec does it. Top-level keys other than those are reserved there and
// ignored here.
//
// The nodes of the document are walked by hand, not decoded into structures,
// so that every complaint has its line.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"assay/internal/run/lazyregexp"
)

// definitionReader reads task definitions. Property files are shared by
// thousands of them and are read once.
type definitionReader struct {
	properties  PropertyReader
	undecidable map[string][]string
}

// read reads one task definition. The ids of its tasks are its path below
// root.
func (d *definitionReader) read(path, root, set string) ([]Task, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	definition, err := parseDefinition(path, text)
	if err != nil {
		return nil, err
	}
	id, err := filepath.Rel(root, path)
	if err != nil {
		id = path
	}
	id = filepath.ToSlash(id)
	inputs, err := definition.inputFiles()
	if err != nil {
		return nil, err
	}
	var tasks []Task
	for _, p := range definition.properties {
		spec, err := p.file.one(definition.path)
		if err != nil {
			return nil, err
		}
		t := Task{
			ID: id, Set: set, File: id, Paths: inputs,
			Property: strings.TrimSuffix(filepath.Base(spec), filepath.Ext(spec)), Spec: spec,
			Expected: p.expected, DataModel: definition.dataModel,
		}
		if slices.ContainsFunc(tasks, func(u Task) bool { return u.Property == t.Property }) {
			return nil, fmt.Errorf("%s:%d: the property %s is there twice", path, p.file.line, t.Property)
		}
		formulas, err := d.formulas(spec)
		if err != nil {
			return nil, err
		}
		switch {
		case definition.language != "" && !strings.EqualFold(definition.language, "C"):
			t.Unfit = "language " + definition.language
		case len(formulas) > 0:
			t.Unfit = "property " + t.Property
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// formulas are the formulas of a property file that cannot be decided.
func (d *definitionReader) formulas(spec string) ([]string, error) {
	if f, ok := d.undecidable[spec]; ok {
		return f, nil
	}
	f, err := d.properties(spec)
	if err == nil {
		d.undecidable[spec] = f
	}
	return f, err
}

// readSet reads a set: patterns of task definitions, one a line, relative to
// the folder of the set. Empty lines and lines that start with # do not count.
func (d *definitionReader) readSet(path string) ([]Task, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	var tasks []Task
	seen := map[string]bool{}
	for _, p := range parseSet(string(text)) {
		files, err := p.files(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if seen[file] {
				continue
			}
			seen[file] = true
			if ext := filepath.Ext(file); ext != ".yml" && ext != ".yaml" {
				return nil, fmt.Errorf("%s:%d: %s is no task definition (.yml)", path, p.line, file)
			}
			more, err := d.read(file, folder, name)
			if err != nil {
				return nil, err
			}
			tasks = append(tasks, more...)
		}
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s: the set names no task", path)
	}
	return tasks, nil
}

// parseSet are the patterns of a set.
func parseSet(text string) []pattern {
	var out []pattern
	line := 0
	for text := range strings.Lines(text) {
		line++
		if text = strings.TrimSpace(text); text != "" && !strings.HasPrefix(text, "#") {
			out = append(out, pattern{text, line})
		}
	}
	return out
}

// pattern is a glob in a line of a file, relative to the folder of the file.
type pattern struct {
	glob string
	line int
}

// files are the files that match, in order. None is an error.
func (p pattern) files(path string) ([]string, error) {
	glob := filepath.FromSlash(p.glob)
	if !filepath.IsAbs(glob) {
		// The folder is a name, not a part of the pattern.
		glob = filepath.Join(escapeGlob(filepath.Dir(path)), glob)
	}
	files, err := filepath.Glob(glob)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %s: %w", path, p.line, p.glob, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s:%d: no file matches %s", path, p.line, p.glob)
	}
	return files, nil
}

// one is the only file that matches.
func (p pattern) one(path string) (string, error) {
	files, err := p.files(path)
	if err == nil && len(files) > 1 {
		err = fmt.Errorf("%s:%d: %d files match %s, there must be one", path, p.line, len(files), p.glob)
	}
	if err != nil {
		return "", err
	}
	return files[0], nil
}

var globCharacters = lazyregexp.New(`[*?\[\\]`)

func escapeGlob(s string) string { return globCharacters.ReplaceAllString(s, `\$0`) }

// definition is a task definition as it is written.
type definition struct {
	path       string
	inputs     []pattern
	properties []expectation
	language   string
	dataModel  string
}

// expectation is an element of the list of properties.
type expectation struct {
	file     pattern
	expected string // as in Task
}

func (d *definition) inputFiles() ([]string, error) {
	var out []string
	for _, p := range d.inputs {
		files, err := p.files(d.path)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// yamlLine is how the YAML library begins its messages.
var yamlLine = lazyregexp.New(`^yaml: (?:line (\d+): )?`)

// parseDefinition reads the text of a task definition; path is for messages.
func parseDefinition(path string, text []byte) (*definition, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		line, message := "1", err.Error()
		if m := yamlLine.FindStringSubmatch(message); m != nil {
			message = message[len(m[0]):]
			if m[1] != "" {
				line = m[1]
			}
		}
		return nil, fmt.Errorf("%s:%s: not YAML: %s", path, line, message)
	}
	if len(document.Content) == 0 {
		return nil, fmt.Errorf("%s:1: the task definition is empty", path)
	}
	d := &definition{path: path}
	top, err := d.mapping(document.Content[0], "a task definition")
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"format_version", "input_files"} {
		if top[key] == nil {
			return nil, d.errorf(document.Content[0], "the key %s is missing", key)
		}
	}
	if v := resolve(top["format_version"]); v.Kind != yaml.ScalarNode || !slices.Contains([]string{"1.0", "2.0", "2.1"}, v.Value) {
		return nil, d.errorf(v, "format_version %q is not one of 1.0, 2.0, 2.1", v.Value)
	}
	if err := d.readInputs(top["input_files"]); err != nil {
		return nil, err
	}
	if err := d.readProperties(top["properties"]); err != nil {
		return nil, err
	}
	return d, d.readOptions(top["options"])
}

func (d *definition) readInputs(n *yaml.Node) error {
	n = resolve(n)
	files := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		files = n.Content
	}
	if len(files) == 0 {
		return d.errorf(n, "input_files names no file")
	}
	for _, f := range files {
		text, err := d.text(f, "an input file")
		if err != nil {
			return err
		}
		d.inputs = append(d.inputs, pattern{text, resolve(f).Line})
	}
	return nil
}

func (d *definition) readProperties(n *yaml.Node) error {
	if n == nil {
		return nil
	}
	n = resolve(n)
	if n.Kind != yaml.SequenceNode {
		return d.errorf(n, "properties is not a list")
	}
	for _, element := range n.Content {
		keys, err := d.mapping(element, "a property")
		if err != nil {
			return err
		}
		if keys["property_file"] == nil {
			return d.errorf(element, "the key property_file is missing")
		}
		file, err := d.text(keys["property_file"], "property_file")
		if err != nil {
			return err
		}
		e := expectation{file: pattern{file, resolve(keys["property_file"]).Line}}
		if e.expected, err = d.verdict(keys["expected_verdict"], keys["subproperty"]); err != nil {
			return err
		}
		d.properties = append(d.properties, e)
	}
	return nil
}

// verdict is the label: true, false, a part, or unknown.
func (d *definition) verdict(expected, part *yaml.Node) (string, error) {
	label := "unknown"
	if expected != nil {
		var value bool
		if expected = resolve(expected); expected.Kind != yaml.ScalarNode || expected.ShortTag() != "!!bool" || expected.Decode(&value) != nil {
			return "", d.errorf(expected, "expected_verdict %q is neither true nor false", expected.Value)
		}
		label = strconv.FormatBool(value)
	}
	if part == nil {
		return label, nil
	}
	name, err := d.text(part, "subproperty")
	if err != nil {
		return "", err
	}
	if label != "false" {
		return "", d.errorf(part, "a subproperty without expected_verdict: false")
	}
	if !isPart(name) {
		return "", d.errorf(part, "%q is no subproperty", name)
	}
	return name, nil
}

func (d *definition) readOptions(n *yaml.Node) error {
	if n == nil {
		return nil
	}
	keys, err := d.mapping(n, "options")
	if err != nil {
		return err
	}
	if l := keys["language"]; l != nil {
		if d.language, err = d.text(l, "language"); err != nil {
			return err
		}
	}
	if m := keys["data_model"]; m != nil {
		if d.dataModel, err = d.text(m, "data_model"); err != nil {
			return err
		}
		if d.dataModel != "ILP32" && d.dataModel != "LP64" {
			return d.errorf(m, "the data_model %q is neither ILP32 nor LP64", d.dataModel)
		}
	}
	return nil
}

// mapping are the keys and values of a node; what names it in messages.
func (d *definition) mapping(n *yaml.Node, what string) (map[string]*yaml.Node, error) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		return nil, d.errorf(n, "%s must be a list of `key: value`", what)
	}
	out := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := resolve(n.Content[i])
		if out[key.Value] != nil {
			return nil, d.errorf(key, "the key %s is there twice", key.Value)
		}
		out[key.Value] = n.Content[i+1]
	}
	return out, nil
}

// text is a scalar that is not empty.
func (d *definition) text(n *yaml.Node, what string) (string, error) {
	n = resolve(n)
	if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" || n.ShortTag() == "!!null" {
		return "", d.errorf(n, "%s must be a text", what)
	}
	return n.Value, nil
}

// resolve follows an alias. An alias cannot be an anchor: one step is enough.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func (d *definition) errorf(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", d.path, max(1, n.Line), fmt.Sprintf(format, args...))
}
