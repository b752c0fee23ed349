package scan

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"assay/internal/program/frontend"
	"assay/internal/run/lazyregexp"
)

// This file keeps what was found out, by the content of what it depends on.
//
//   - A unit (units/KEY.gob): the key is the file, its flags, the options of compilation, and the compiler with its
//     environment; it holds as long as all files that the compiler read have their content, and none is where it would
//     be read instead of one of them, or where __has_include has looked for it. One that the date goes into does not hold.
//   - An answer (answers/KEY.json): the key is the digests of all functions and objects that the function
//     reaches, positions included, what clang has warned of that bears on checks, the models of the user, and the
//     options of the questions.
//
// The program that answers is part of every key. A file that cannot be read or written is as if it were not there.

// cache is a folder; an empty one keeps nothing.
type cache struct {
	folder string
	tool   [sha256.Size]byte

	mu    sync.Mutex
	files map[string]content // what was looked at in this run
	asks  map[string]asked
}

type content struct {
	Hash    [sha256.Size]byte
	Missing bool
}

// openCache makes the folder if it is not there, and identifies this program.
func openCache(folder string) (*cache, error) {
	c := &cache{folder: folder, files: map[string]content{}, asks: map[string]asked{}}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(self)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	h.Sum(c.tool[:0])
	for _, sub := range []string{"units", "answers"} {
		if err := os.MkdirAll(filepath.Join(folder, sub), 0o755); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// key is the hash of values.
func (c *cache) key(values ...any) string {
	h := sha256.New()
	h.Write(c.tool[:])
	for _, v := range values {
		writeKey(h, v)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:20])
}

func writeKey(h hash.Hash, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic("scan: a key that is no data: " + err.Error())
	}
	fmt.Fprintf(h, "%d:", len(text))
	h.Write(text)
}

// storedUnit is what a unit's file holds.
type storedUnit struct {
	Depends map[string]content
	Flags   []string // with what was found out about headers
	Unit    frontend.Unit
	// Fleeting says that the unit depends on what no file has.
	Fleeting bool
}

func (c *cache) unitPath(key string) string { return filepath.Join(c.folder, "units", key+".gob") }

// unit is a unit that is still good, nil if there is none.
func (c *cache) unit(key string) *storedUnit {
	u, err := readUnit(c.unitPath(key))
	if err != nil || u.Fleeting {
		return nil
	}
	for path, old := range u.Depends {
		if now := c.look(path); now.Missing != old.Missing || now.Hash != old.Hash {
			return nil
		}
	}
	return u
}

// readUnit reads the file of a unit.
func readUnit(path string) (*storedUnit, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	u := &storedUnit{}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(u); err != nil {
		return nil, err
	}
	return u, nil
}

// putUnit keeps a unit; workers read it from there. The folders are those in which the compiler looks for headers, and
// flags are with what was found out about headers.
func (c *cache) putUnit(key string, u *frontend.Unit, flags, folders []string) error {
	s := storedUnit{Unit: *u, Flags: flags, Depends: map[string]content{}}
	var names []string
	for _, path := range u.Depends {
		s.Depends[path] = c.look(path)
		a := c.asked(path)
		s.Fleeting = s.Fleeting || a.more
		names = append(names, a.names...)
	}
	for _, path := range hidden(u.Depends, names, folders) {
		if x := c.look(path); x.Missing {
			s.Depends[path] = x
		}
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&s); err != nil {
		return err
	}
	return writeFile(c.unitPath(key), b.Bytes())
}

// asked is what a file asks the compiler for besides content of files.
type asked struct {
	names []string // files that it looks for, without reading them
	more  bool     // what no name tells: the date, the time of the file, or a file whose name a macro makes
}

var (
	dateWord   = lazyregexp.New(`\b__(DATE|TIME|TIMESTAMP)__\b`)
	presence   = lazyregexp.New(`(?m)^.*\b__has_(?:include|include_next|embed)\s*\(.*$`)
	looksFor   = lazyregexp.New(`\b__has_(?:include|include_next|embed)\s*\(\s*(?:"([^"]*)"|<([^>]*)>)?`)
	definition = lazyregexp.New(`^\s*#\s*define\s+__has_`)
)

// asked finds what a file asks for.
func (c *cache) asked(path string) asked {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.asks[path]; ok {
		return a
	}
	var a asked
	if data, err := os.ReadFile(path); err == nil {
		a = asks(string(data))
	}
	c.asks[path] = a
	return a
}

func asks(source string) (a asked) {
	a.more = dateWord.MatchString(source)
	for _, line := range presence.FindAllString(source, -1) {
		if definition.MatchString(line) {
			continue
		}
		for _, m := range looksFor.FindAllStringSubmatch(line, -1) {
			name := m[1] + m[2]
			a.names = append(a.names, name)
			a.more = a.more || name == ""
		}
	}
	return a
}

// hiddenParts is how many parts at the end of a path an #include may name.
const hiddenParts = 3

// hidden are paths where a file would be read instead of one of those that were read, if it were there, or where a file with one of the names
// would be: what an #include names is the end of a path, and is looked for in all folders, and those in which something was read.
func hidden(read, names, folders []string) (list []string) {
	in := map[string]bool{}
	for _, d := range folders {
		in[absolute(d)] = true
	}
	for _, path := range read {
		in[filepath.Dir(path)] = true
	}
	for _, path := range read {
		rest, end := filepath.Dir(path), filepath.Base(path)
		for range hiddenParts {
			for d := range in {
				list = append(list, filepath.Join(d, end))
			}
			rest, end = filepath.Dir(rest), filepath.Join(filepath.Base(rest), end)
		}
	}
	for _, name := range names {
		if filepath.IsAbs(name) {
			list = append(list, name)
			continue
		}
		for d := range in {
			list = append(list, filepath.Join(d, name))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// foldersOf are the folders that flags of the compiler name, which runs in a directory (empty: here).
func foldersOf(flags []string, directory string) (list []string) {
	add := func(d string) {
		d = strings.TrimPrefix(d, "=")
		if !filepath.IsAbs(d) {
			d = filepath.Join(directory, d)
		}
		list = append(list, d)
	}
	for k, f := range flags {
		for _, option := range []string{"-I", "-iquote", "-isystem", "-idirafter", "-isystem-after", "-cxx-isystem", "--include-directory"} {
			if f == option && k+1 < len(flags) {
				add(flags[k+1])
			} else if d, ok := strings.CutPrefix(f, option); ok && d != "" {
				add(d)
			}
		}
	}
	return list
}

// look is the content of a file now. It is read: size and time may be the same by chance.
func (c *cache) look(path string) content {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x, ok := c.files[path]; ok {
		return x
	}
	x := content{Missing: true}
	if data, err := os.ReadFile(path); err == nil {
		x = content{Hash: sha256.Sum256(data)}
	}
	c.files[path] = x
	return x
}

// writeFile replaces a file at once, so that nobody reads half of it.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func (c *cache) answerPath(key string) string {
	return filepath.Join(c.folder, "answers", key[:2], key+".json")
}

// record is what was kept of a function, nil if there is nothing.
func (c *cache) record(key string) *record {
	data, err := os.ReadFile(c.answerPath(key))
	if err != nil {
		return nil
	}
	r := &record{}
	if json.Unmarshal(data, r) != nil || r.Answer == nil && r.Ended == nil {
		return nil
	}
	return r
}

// putRecord keeps what is known of a function.
func (c *cache) putRecord(key string, r *record) {
	data, err := json.Marshal(r)
	if err != nil {
		return
	}
	path := c.answerPath(key)
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = writeFile(path, data) // it is found out again next time
	}
}
