package web

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/charts"
	"github.com/stacrun/stacrun/reporters/report"
)

// Watch is the page as a reporter of one run. Done is called when all is over, whether or not the run ever began.
type Watch struct {
	show     func(*state)
	run      report.Run
	timeline *charts.Timeline
	paused   map[string]bool // by execution
	state    state
}

var _ report.Reporter = (*Watch)(nil)

func newWatch(show func(*state)) *Watch {
	w := &Watch{show: show, timeline: charts.NewTimeline(), paused: map[string]bool{}}
	w.state = state{Phase: phaseStarting, Progress: -1}
	w.publish()
	return w
}

// Begin takes over what is known of the run.
func (w *Watch) Begin(run report.Run) error {
	w.run = run
	s := &w.state
	s.ID, s.Name, s.Ends, s.Elapsed = filepath.Base(run.Dir), report.Clean(run.Name), report.Clean(run.Ends), report.Clock(0)
	if run.Duration > 0 {
		s.Planned, s.Progress = report.Clock(run.Duration), 0
	}
	for _, x := range run.Executions {
		s.Executions = append(s.Executions, execution{Name: x.Name, Open: x.Open})
	}
	w.publish()
	return nil
}

// Observe makes the state of a second.
func (w *Watch) Observe(iv *metrics.Interval, snap *metrics.Snapshot, verdicts []criteria.Verdict) error {
	w.timeline.Add(iv)
	w.notePauses(iv)
	s := &w.state
	s.Phase = phaseRunning
	elapsed := time.Duration(iv.Second+1) * time.Second
	s.Elapsed = report.Clock(elapsed)
	if w.run.Duration > 0 {
		s.Progress = min(1, float64(elapsed)/float64(w.run.Duration))
	}
	recent := snap.Recent(recentSeconds, true)
	s.Cards = cards(iv, snap, recent)
	s.Executions = executions(iv, w.paused)
	s.Agents = agents(snap)
	s.Panels, s.Times = panels(w.timeline, snap)
	s.Labels, s.LabelNote = labels(snap, recent)
	s.Faults = faults(snap)
	s.Criteria = rules(verdicts, false)
	s.Events = happenings(snap)
	for _, e := range snap.Events() {
		if e.Kind == "stop" {
			s.Phase = phaseStopping
		}
	}
	s.Warning = ""
	if h := snap.Health(); h.Bottleneck {
		s.Warning = "The generator is the bottleneck: " + h.Reason
	}
	w.publish()
	return nil
}

// notePauses reads from the events which executions are paused, whoever did it: the page, a key or the control port.
func (w *Watch) notePauses(iv *metrics.Interval) {
	for _, e := range iv.Events {
		if e.Kind != "load" {
			continue
		}
		if name, ok := strings.CutSuffix(e.Text, ": paused"); ok {
			w.paused[name] = true
		}
		if name, ok := strings.CutSuffix(e.Text, ": resumed"); ok {
			delete(w.paused, name)
		}
	}
}

// End takes over the verdicts; the other reporters may still be writing.
func (w *Watch) End(o *report.Outcome) error {
	w.state.Phase = phaseStopping
	w.state.Criteria = rules(o.Verdicts, true)
	w.publish()
	return nil
}

// Done shows how the run ended; problems are what the preflight found.
func (w *Watch) Done(o *report.Outcome, problems diag.List) {
	s := &w.state
	s.Phase = phaseEnded
	s.Outcome = &outcomeText{Result: string(o.Result), Reason: report.Clean(o.Reason)}
	for _, p := range problems {
		s.Outcome.Errors = append(s.Outcome.Errors, report.Clean(p.Message))
	}
	for _, e := range o.Errors {
		s.Outcome.Errors = append(s.Outcome.Errors, report.Clean(e))
	}
	for _, f := range o.Files {
		s.Outcome.Files = append(s.Outcome.Files, f.Path)
	}
	s.Criteria = rules(o.Verdicts, true)
	w.publish()
}

func (w *Watch) publish() {
	s := w.state // what the slices hold is made anew each second
	w.show(&s)
}
