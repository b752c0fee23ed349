package report

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"assay"
)

// Progress is a line on a terminal that tells how far a run has come. The
// libraries for progress bars want a total, which a search does not have.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer
	last  time.Time
	shown bool
	ended bool
}

// NewProgress writes to a terminal.
func NewProgress(w io.Writer) *Progress { return &Progress{w: w} }

// Update shows the state of a run, at most ten times a second.
func (p *Progress) Update(s assay.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	// The first line waits a moment: a fast run shows none at all.
	if p.ended || now.Sub(p.last) < 100*time.Millisecond || s.Elapsed < 300*time.Millisecond {
		return
	}
	p.last, p.shown = now, true
	fmt.Fprintf(p.w, "\r\033[K%s: depth %d, %s variables, %s clauses, %.1f s", s.Phase, s.Depth,
		humanize.SIWithDigits(float64(s.Variables), 1, ""), humanize.SIWithDigits(float64(s.Clauses), 1, ""), s.Elapsed.Seconds())
}

// Clear removes the line for good.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown && !p.ended {
		fmt.Fprint(p.w, "\r\033[K")
	}
	p.ended = true
}
