package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScanReports: a scan writes its findings with their levels, and its page.
func TestScanReports(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "a.c")
	if err := os.WriteFile(source, []byte("int inverse(int x) { return 100 / x; }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	log, page := filepath.Join(dir, "s.sarif"), filepath.Join(dir, "s.html")
	o := invoke(t, "scan", "--no-cache", "--no-config", "--property", "div-by-zero", "--sarif", log, "--html", page, source)
	if o.code != exitFalse {
		t.Fatalf("%+v", o)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Runs []struct {
			Results []struct {
				RuleID, Level string
				Properties    struct{ Confidence, Entry string }
				CodeFlows     []any
				Locations     []any
			}
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	r := all.Runs[0].Results
	if len(r) != 1 || r[0].RuleID != "div-by-zero" || r[0].Level != "error" || r[0].Properties.Confidence != "high" || r[0].Properties.Entry != "inverse" || len(r[0].CodeFlows) != 1 || len(r[0].Locations) != 1 {
		t.Errorf("%s", text)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "finding1") {
		t.Errorf("%v: %s", err, text)
	}
}
