package main

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"assay"
	"assay/internal/tools/sarif"
	"assay/internal/tools/scan"
	"assay/internal/tools/webpage"
)

// levels are those of findings by their confidence.
var levels = map[scan.Confidence]string{scan.High: "error", scan.Medium: "warning", scan.Low: "note"}

// writeScanReports writes the files that --sarif and --html ask for.
func (r *reports) writeScanReports(found *scan.Report) error {
	if r.sarif != "" {
		log := scanLog(found, sarif.Options{Arguments: os.Args[1:], Directory: found.Root, Begin: r.begin, End: time.Now()})
		if err := toFile(r.sarif, func(w io.Writer) error { return log.Write(w, found.Exit()) }); err != nil {
			return err
		}
	}
	if r.html != "" {
		return toFile(r.html, func(w io.Writer) error {
			return webpage.WriteProject(w, found, "assay "+strings.Join(os.Args[1:], " "))
		})
	}
	return nil
}

// scanLog has the findings of a scan, those that are known as suppressed ones, and as notifications what could not be looked at.
func scanLog(found *scan.Report, o sarif.Options) *sarif.Log {
	log := sarif.New(o)
	add := func(f *scan.Finding, known string) {
		properties := map[string]any{"confidence": f.Confidence, "because": f.Because, "entry": f.Entry, "id": f.ID, "harness": f.Harness}
		if len(f.Needs) > 0 {
			properties["needsPrecondition"] = f.Needs
		}
		log.Violation(context.Background(), sarif.Finding{
			Property: f.Property, Place: f.Place, Trace: sarif.Steps(f.Trace), Replayed: f.Replayed, Properties: properties,
			Level: levels[f.Confidence], Suppressed: known,
		})
	}
	for i := range found.Findings {
		add(&found.Findings[i], "")
	}
	for i := range found.Suppressed {
		why := "known"
		if s := found.Suppressed[i].Suppressed; s != nil && s.Reason != "" {
			why = s.Reason
		}
		add(&found.Suppressed[i], why)
	}
	for _, p := range found.Problems {
		log.Open(assay.Reason{Cause: "comment", Text: p.Text, Pos: p.Pos})
	}
	for _, f := range found.Files {
		if f.Error != "" {
			log.Open(assay.Reason{Cause: "file", Text: f.Error, Pos: assay.Position{File: f.Path}})
		}
	}
	for _, f := range found.Functions {
		if f.Failed != "" {
			log.Open(assay.Reason{Cause: "function", Text: f.Failed, Pos: f.Pos, Func: f.Name})
		}
	}
	if found.Stopped != "" {
		log.Open(assay.Reason{Cause: found.Stopped, Text: "not everything was looked at"})
	}
	return log
}
