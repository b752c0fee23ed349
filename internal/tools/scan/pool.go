package scan

import (
	"context"
	"errors"
	"sync"
	"time"

	"assay"
)

// This file has several workers answer many requests.

// job makes a request when its turn comes, and says where its answer goes, with the processor time that it took.
type job struct {
	request func() *request
	done    func(*answer, time.Duration)
}

// runJobs has so many workers, in the folder root, answer the jobs, in their order; it returns when all are answered, or when the context has
// ended, or spent says that no other shall begin: then some are not.
func runJobs(ctx context.Context, jobs []job, workers int, memory uint64, root string, spent func() bool) {
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
				request := j.request()
				if w == nil {
					started, err := startWorker(memory, root)
					if err != nil {
						j.done(&answer{Answer: assay.Unknown, Open: request.Properties, Failed: err.Error()}, 0)
						continue
					}
					w = started
				}
				before := w.used // 0 at the start: reading the program counts
				a, err := w.ask(ctx, request)
				took := w.used - before
				if err != nil {
					w.stop()
					w = nil
					if ctx.Err() == nil {
						j.done(failure(request, err), took)
					}
					continue
				}
				if a.Recycle {
					w.stop()
					w = nil
				}
				j.done(a, took)
			}
		})
	}
	for _, j := range jobs {
		if spent() {
			break
		}
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
