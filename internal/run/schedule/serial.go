package schedule

import (
	"context"
	"slices"
	"time"

	"assay/internal/run/work"
)

// Where time is work (package work), engines run one after the other, in the order in which they would begin,
// each with a budget; then again, with a greater one, those that were not done. So what one tells another, and which
// answer comes first, depends on nothing but the program. What an engine has told stays known in the next round.

// firstBudget is that of the first round; each one after it is greater by the factor budgetGrowth.
const (
	firstBudget  = 200 * time.Millisecond
	budgetGrowth = 4
)

// serial is Run where time is work.
func serial[A any](ctx context.Context, engines []Engine[A], judge func(A) Side) Result[A] {
	r := Result[A]{Outcomes: make([]Outcome[A], len(engines))}
	order := make([]int, len(engines))
	for i := range engines {
		order[i], r.Outcomes[i].Name = i, engines[i].Name
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(engines[a].Start - engines[b].Start) })
	done := make([]bool, len(engines))
	used := make([]time.Duration, len(engines))
	stuck := false
	budget := firstBudget
	for open := true; open && r.First == nil && !stuck && ctx.Err() == nil; budget *= budgetGrowth {
		open = false
		for _, i := range order {
			e, o := &engines[i], &r.Outcomes[i]
			over := stuck || r.First != nil && !(e.Stays && r.First.Side == Holds && !o.Began)
			if done[i] || over || ctx.Err() != nil {
				continue
			}
			share := budget
			if e.Limit > 0 {
				share = min(share, e.Limit-used[i])
			}
			last := len(engines) == 1 && e.Limit == 0 // nobody waits
			own := named(ctx, e.Name)
			exhausted := e.serially(own, o, share, last)
			used[i] += share
			o.Side = judge(o.Answer)
			note(own, o.Side, o.Answer, nil)
			stuck = stuck || o.Side == Stuck
			if o.Side.decides() && r.First == nil {
				r.First = o
			}
			done[i] = !exhausted || e.Limit > 0 && used[i] >= e.Limit
			open = open || !done[i]
		}
	}
	for i := range engines {
		o := &r.Outcomes[i]
		o.Cut = !o.Began || o.Side == Open && !done[i] && (r.First != nil || stuck)
	}
	return r
}

// serially runs an engine with a budget, and says whether it has used that up. It panics with a *Failure if the engine panics.
func (e *Engine[A]) serially(ctx context.Context, o *Outcome[A], budget time.Duration, last bool) (exhausted bool) {
	defer func() {
		if p := recover(); p != nil {
			f := Recovered(ctx, p)
			note(ctx, Open, o.Answer, f)
			panic(f)
		}
	}()
	limited, stop := ctx, context.CancelFunc(func() {})
	if !last {
		limited, stop = work.WithTimeout(ctx, budget)
	}
	defer stop()
	o.Began = true
	Say(ctx, Began, "")
	begin := work.Spent(ctx)
	o.Answer = e.Run(limited)
	o.Time += work.Spent(ctx) - begin
	return limited.Err() != nil
}
