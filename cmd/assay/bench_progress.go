package main

import (
	"fmt"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"assay/internal/tools/bench"
)

// benchProgress shows how far a run has come: a bar on a terminal, else a line
// for each task.
type benchProgress struct {
	w   *os.File
	bar *progressbar.ProgressBar // nil if w is no terminal
	tty bool
}

func newBenchProgress(w *os.File) *benchProgress {
	return &benchProgress{w: w, tty: term.IsTerminal(int(w.Fd()))}
}

// update is called after each task, from one goroutine at a time.
func (b *benchProgress) update(p bench.Progress) {
	r := p.Last
	if !b.tty && p.Known {
		return
	}
	if !b.tty {
		digits := len(fmt.Sprint(p.Total))
		fmt.Fprintf(b.w, "[%*d/%d] %-3s %7.2f s  %s  %s %s\n", digits, p.Done, p.Total, r.Correct, r.CPU.Seconds(), r.Answer, r.Task.ID, r.Task.Property)
		return
	}
	if b.bar == nil {
		b.bar = progressbar.NewOptions(p.Total,
			progressbar.OptionSetWriter(b.w), progressbar.OptionShowCount(), progressbar.OptionSetWidth(10),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(true),
			progressbar.OptionSetPredictTime(true))
	}
	if r.Correct == "NO" || r.Answer == "crash" {
		// What is worst stays on the screen.
		_ = b.bar.Clear()
		fmt.Fprintf(b.w, "%s %s: %s, expected %s\n", r.Task.ID, r.Task.Property, r.Answer, r.Task.Expected)
	}
	_ = b.bar.Set(p.Done)
	if p.Done < p.Total {
		b.bar.Describe(fmt.Sprintf("%d solved (%.0f s) %d wrong %d crashed", p.Solved, p.CPU.Seconds(), p.Wrong, p.Crashed))
	}
}

// end removes the bar.
func (b *benchProgress) end() {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}
