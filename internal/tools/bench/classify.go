package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"assay/internal/run/process"
)

// answerJSON is the part of the output of `assay check --json` that counts here.
type answerJSON struct {
	Result   string   `json:"result"`
	Replayed []string `json:"replayed"`
	Native   string   `json:"native_replay"`
	Passes   []struct {
		Text     string `json:"text"`
		Position struct {
			Line int `json:"line"`
		} `json:"position"`
	} `json:"undefined_behaviour_on_the_way"`
	Reasons []struct {
		Cause    string `json:"cause"`
		Text     string `json:"text"`
		Position struct {
			Line int `json:"line"`
		} `json:"position"`
	} `json:"reasons"`
}

// classify turns the end of a process into an answer and its reason.
func classify(o process.Outcome, stdout []byte, stderr string) (answer, reason string) {
	var a answerJSON
	parsed := json.Unmarshal(stdout, &a) == nil && a.Result != ""
	switch {
	case o.TimedOut:
		return "timeout", "killed at the limit"
	case o.Signal != 0:
		return "crash", fmt.Sprintf("signal %s: %s", signalName(o.Signal), lastLine(stderr))
	case o.ExitCode == 3:
		return "error", firstLine(stderr)
	case o.ExitCode == 4 || o.ExitCode > 4 || !parsed:
		return "crash", fmt.Sprintf("exit code %d: %s", o.ExitCode, firstLine(stderr))
	}
	if a.Result != "unknown" {
		return a.Result, a.evidence()
	}
	for _, r := range a.Reasons {
		if r.Cause == "internal error" {
			return "crash", "internal error: " + r.Text
		}
		if r.Cause == "timeout" || r.Cause == "memory" {
			answer = r.Cause
		}
	}
	if answer == "" {
		answer = "unknown"
	}
	if len(a.Reasons) > 0 {
		first := a.Reasons[0]
		reason = first.Cause + ": " + first.Text
		if first.Position.Line > 0 {
			reason += fmt.Sprintf(" (line %d)", first.Position.Line)
		}
	}
	return answer, reason
}

// evidence is what is remarkable about an answer that is not unknown.
func (a *answerJSON) evidence() string {
	var parts []string
	switch {
	case slices.Contains(a.Replayed, "native"):
		parts = append(parts, "replayed natively")
	case a.Native != "":
		parts = append(parts, "native replay: "+a.Native)
	}
	if len(a.Passes) > 0 {
		parts = append(parts, fmt.Sprintf("passes through undefined behaviour: %s (line %d)", a.Passes[0].Text, a.Passes[0].Position.Line))
	}
	return strings.Join(parts, "; ")
}

func signalName(s syscall.Signal) string { return fmt.Sprintf("%d (%s)", int(s), s) }

// firstLine is the first line of a text that is not empty, shortened.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return clip(line)
}

// lastLine is the last line of a text, shortened.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return clip(s[strings.LastIndexByte(s, '\n')+1:])
}

func clip(s string) string {
	if r := []rune(s); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return s
}
