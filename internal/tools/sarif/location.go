package sarif

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"assay"
	"assay/internal/tools/report"
)

// location is a place in a file, nil if that is not known.
func (l *Log) location(at assay.Position, function, what string) *sarif.Location {
	if at.File == "" {
		return nil
	}
	l.load(at.File)
	physical := sarif.NewPhysicalLocation()
	physical.ArtifactLocation = artifact(at.File)
	if at.Line > 0 {
		region := sarif.NewRegion()
		region.StartLine = &at.Line
		if column := l.column(at); column > 0 {
			region.StartColumn = &column
		}
		if line := l.sources.Raw(at); line != "" {
			region.Snippet = sarif.NewArtifactContent()
			region.Snippet.Text = text(strings.ToValidUTF8(line, "\uFFFD"))
		}
		physical.Region = region
	}
	x := sarif.NewLocation()
	x.PhysicalLocation = physical
	if function != "" {
		logical := sarif.NewLogicalLocation()
		logical.Name, logical.FullyQualifiedName, logical.Kind = text(function), text(function), text("function")
		x.LogicalLocations = append(x.LogicalLocations, logical)
	}
	if what != "" {
		x.Message = message(what)
	}
	return x
}

// load reads a file whose name is relative to the folder of the log.
func (l *Log) load(file string) {
	if _, known := l.sources[file]; !known && l.options.Directory != "" && !filepath.IsAbs(file) {
		l.sources[file] = report.Sources{}.Lines(filepath.Join(l.options.Directory, file))
	}
}

// artifact is a file: relative names are below the root of the sources.
func artifact(file string) *sarif.ArtifactLocation {
	a := sarif.NewArtifactLocation()
	if filepath.IsAbs(file) {
		a.URI = text(fileURI(file))
		return a
	}
	a.URI = text(escape(filepath.ToSlash(filepath.Clean(file))))
	if filepath.IsLocal(file) {
		a.URIBaseID = text(srcRoot)
	}
	return a
}

// escape is a path as part of a URI.
func escape(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/")
}

// column is the column of a position in characters; clang counts bytes. 0 is unknown.
func (l *Log) column(at assay.Position) int {
	line := l.sources.Raw(at)
	if at.Col < 1 || line == "" {
		return at.Col
	}
	return utf8.RuneCountInString(line[:min(at.Col-1, len(line))]) + 1
}

// fingerprints tell a violation from others, whatever lines come before it.
func (l *Log) fingerprints(p assay.Property, at assay.Place) map[string]string {
	words := strings.Join(strings.Fields(l.sources.Raw(at.Pos)), " ")
	before := 0
	if words != "" {
		for _, line := range l.sources.Lines(at.Pos.File)[:at.Pos.Line-1] {
			if strings.Join(strings.Fields(line), " ") == words {
				before++
			}
		}
	} else { // no source: the place is all there is
		words = at.Pos.String()
	}
	hash := sha256.Sum256([]byte(strings.Join([]string{string(p), at.Func, at.Kind, words}, "\x00")))
	print := hex.EncodeToString(hash[:16])
	return map[string]string{
		"assay/v1": fmt.Sprintf("%s:%d", print, before+1),
		// The name that GitHub looks for.
		"primaryLocationLineHash": fmt.Sprintf("%s:%d", print[:16], before+1),
	}
}
