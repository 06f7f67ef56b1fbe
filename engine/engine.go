package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stacrun/stacrun/internal/dying"
	"github.com/stacrun/stacrun/metrics"
)

// Engine runs one plan once.
type Engine struct {
	plan  *Plan
	opts  RunOptions
	log   *slog.Logger
	clock Clock

	collector *metrics.Collector
	recorder  Recorder
	tap       *tap
	labels    []metrics.LabelID // by number of Plan.labels
	targets   []*runTarget      // by number of Plan.targets
	tokens    []tokenKeeper     // by number of Plan.tokens
	found     foundTargets
	files     fileCache // whose names are only known at run time
	decoded   buffers
	rendered  buffers
	late      metrics.Lateness
	short     shortage

	running []*running
	hard    *gate // closed: everything ends at once
	soft    *gate // closed: nothing new begins
	done    chan struct{}
	started atomic.Bool
	begun   atomic.Bool // the clock runs

	mu     sync.Mutex // guards what follows
	err    error
	reason string
	warned map[string]bool
}

// New makes the engine of one run.
func New(plan *Plan, opts RunOptions) *Engine {
	e := &Engine{
		plan: plan, opts: opts, log: opts.Logger, clock: opts.Clock,
		collector: metrics.NewCollector(metrics.CollectorOptions{MaxLabels: plan.maxLabels}),
		hard:      newGate(), soft: newGate(), done: make(chan struct{}),
		warned: map[string]bool{},
	}
	e.recorder = e.collector
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	for _, l := range plan.labels {
		if l.Pattern {
			e.labels = append(e.labels, 0) // made at run time
			continue
		}
		e.labels = append(e.labels, e.collector.Label(l.Execution, l.Kind, l.Name))
	}
	for _, x := range plan.executions {
		e.running = append(e.running, newRunning(e, x))
	}
	return e
}

// Start begins the run. The channel gives one interval a second, the last one marked Final, and is
// then closed; the receiver must not stop reading before. Cancelling ctx stops hard.
func (e *Engine) Start(ctx context.Context) (<-chan *metrics.Interval, error) {
	if !e.started.CompareAndSwap(false, true) {
		return nil, errors.New("this engine has run already")
	}
	if len(e.running) == 0 {
		return nil, errors.New("the plan has no execution")
	}
	for _, x := range e.plan.executions {
		for _, s := range x.sources {
			s.Rewind()
			for range e.opts.DataRow {
				if _, ok := s.Next(); !ok {
					return nil, fmt.Errorf("%s has no row %d", s.name, e.opts.DataRow+1)
				}
			}
		}
	}
	if e.clock == nil {
		e.clock = NewClock()
	}
	e.connectTargets()
	e.begun.Store(true)
	if e.opts.Samples != nil {
		e.tap = newTap(e.opts.Samples, e.opts.Dying)
	}
	stopWatching := context.AfterFunc(ctx, func() { e.Abort(context.Cause(ctx).Error()) })
	go func() {
		defer close(e.done)
		defer stopWatching()
		defer dying.Guard(e.opts.Dying)
		release, err := e.fetchTokens(ctx)
		defer release()
		if err != nil {
			e.fail(err)
			return
		}
		e.runAll()
	}()
	out := make(chan *metrics.Interval, 1)
	go e.intervals(out)
	return out, nil
}

// Stop ends the run gracefully: no new request begins, running ones may finish within graceful-stop.
func (e *Engine) Stop(reason string) {
	if e.end(reason) {
		e.event("stop", reason)
	}
	e.soft.close()
	for _, x := range e.running {
		x.stop()
	}
}

// Abort ends the run at once; requests under way are counted as interrupted.
func (e *Engine) Abort(reason string) {
	if e.end(reason) {
		e.event("stop", reason)
	}
	e.soft.close()
	e.hard.close()
	for _, x := range e.running {
		x.stop()
		x.abort()
	}
}

// end keeps the first reason; it reports whether this one is it.
func (e *Engine) end(reason string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.reason != "" {
		return false
	}
	if e.reason = reason; reason == "" {
		e.reason = "stopped"
	}
	return true
}

// Reason is why the run was stopped before its plan was over, "" when it was not.
func (e *Engine) Reason() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.reason
}

// Err is why the run could not go on, nil when it ended as planned or was stopped. Valid once the channel is closed.
func (e *Engine) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// fail keeps the first error and stops the run.
func (e *Engine) fail(err error) {
	e.mu.Lock()
	if e.err == nil {
		e.err = err
	}
	e.mu.Unlock()
	e.log.Error("run cannot go on", "error", err)
	e.Stop(err.Error())
}

// LabelName gives the label of a sample, for receivers of raw samples.
func (e *Engine) LabelName(id metrics.LabelID) string {
	_, label, _ := e.collector.LabelName(id)
	return label
}

// Event marks a moment of the run in its results, such as a criterion that was triggered.
func (e *Engine) Event(kind, text string) { e.event(kind, text) }

func (e *Engine) event(kind, text string) {
	at := int64(0)
	if e.begun.Load() {
		at = max(e.clock.Now(), 0)
	}
	e.collector.Event(metrics.Event{At: at, Kind: kind, Text: text})
	e.log.Info("event", "kind", kind, "text", text)
}

// maxWarnings bounds what is odd in one run: a server may make up hosts without end.
const maxWarnings = 100

// warnOnce marks something odd in the results, the first time that it is seen.
func (e *Engine) warnOnce(text string) {
	e.mu.Lock()
	fresh := !e.warned[text] && len(e.warned) < maxWarnings
	if fresh {
		e.warned[text] = true
	}
	e.mu.Unlock()
	if fresh {
		e.event("warning", text)
	}
}

// labelOf is the number of a label that is known before the run.
func (e *Engine) labelOf(ref labelRef) metrics.LabelID {
	if ref.dynamic != nil || ref.ignored {
		return 0
	}
	return e.labels[ref.index]
}

// runAll runs the executions: all at once, or as many at a time as the settings say, in order.
func (e *Engine) runAll() {
	slots := e.plan.capacity
	switch {
	case e.opts.Once:
		slots = 1
	case e.shared():
		slots = 0 // whoever directs it keeps the order
	}
	if slots <= 0 || slots > len(e.running) {
		slots = len(e.running)
	}
	var all sync.WaitGroup
	free := make(chan struct{}, len(e.running))
	waiting := slices.Clone(e.running)
	for len(waiting) > 0 && e.soft.open() {
		if slots == 0 {
			<-free
			slots++
			continue
		}
		// A slot is filled in list order; what is not due yet does not hold the others up.
		now := e.clock.Now()
		next, soonest := -1, int64(0)
		for i, x := range waiting {
			due := x.due()
			if due <= now {
				next = i
				break
			}
			if soonest == 0 || due < soonest {
				soonest = due
			}
		}
		if next < 0 {
			if !e.waitFor(soonest, free, &slots) {
				break
			}
			continue
		}
		x := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		slots--
		all.Go(func() {
			defer dying.Guard(e.opts.Dying)
			x.run()
			free <- struct{}{}
		})
	}
	all.Wait()
}

// waitFor waits until a moment, until a slot becomes free, or until the run is stopped (false).
func (e *Engine) waitFor(at int64, free chan struct{}, slots *int) bool {
	timer := newTimerAt(e.clock, at)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-free:
		*slots++
	case <-e.soft.closing:
		return false
	}
	return true
}
