package scan

import (
	"context"
	"errors"
	"sync"

	"assay"
)

// This file has several workers answer many requests.

// job is a request and where its answer goes.
type job struct {
	request *request
	done    func(*answer)
}

// runJobs has so many workers answer the jobs, in their order; it returns when all are answered, or the context has
// ended: then some are not.
func runJobs(ctx context.Context, jobs []job, workers int, memory uint64) {
	next := make(chan job)
	var group sync.WaitGroup
	for range min(workers, len(jobs)) {
		group.Go(func() {
			var w *worker
			defer func() {
				if w != nil {
					w.stop()
				}
			}()
			for j := range next {
				if w == nil {
					started, err := startWorker(memory)
					if err != nil {
						j.done(&answer{Answer: assay.Unknown, Open: j.request.Properties, Failed: err.Error()})
						continue
					}
					w = started
				}
				a, err := w.ask(ctx, j.request)
				if err != nil {
					w.stop()
					w = nil
					if ctx.Err() == nil {
						j.done(failure(j.request, err))
					}
					continue
				}
				if a.Recycle {
					w.stop()
					w = nil
				}
				j.done(a)
			}
		})
	}
	for _, j := range jobs {
		select {
		case next <- j:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	group.Wait()
}

// failure is the answer for a function whose worker ended: without memory, it is unknown; else it is a bug.
func failure(r *request, err error) *answer {
	a := &answer{Answer: assay.Unknown, Open: r.Properties}
	var died *errDied
	switch {
	case errors.Is(err, errMemory):
		a.Reasons = []assay.Reason{{Cause: "memory", Text: err.Error(), Hint: "allow more with --memory"}}
	case errors.As(err, &died):
		a.Failed = died.why
	default:
		a.Failed = err.Error()
	}
	return a
}
