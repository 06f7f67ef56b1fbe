package console

import (
	"cmp"
	"io"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options of console.
type Options struct {
	Out   io.Writer // plain lines; a [Lossy] where others write, too
	Color bool
	Quiet bool             // only what triggered
	Every int              // seconds between plain lines; 0: 5
	Desk  *Desk            // where the live view is shown; nil: plain lines
	CI    CI               // whose log the plain lines stand in
	Now   func() time.Time // nil: time.Now
}

// Console is the reporter.
type Console struct {
	options Options
	paint   report.Palette
	run     report.Run
	live    *live                              // nil: plain lines
	opened  bool                               // it was tried to show the live view
	failed  error                              // of the live view
	next    int64                              // second from which on the next plain line is due
	from    int64                              // first second that it covers
	told    map[int]struct{}                   // rules whose triggering was told, by index
	warned  bool                               // that the generator is the bottleneck was told
	past    []beat                             // of the last seconds
	totals  map[*metrics.Interval]*metrics.Row // of the last seconds
	out     *Lossy
	load    []metrics.Load  // of the last second
	paused  map[string]bool // by execution
}

var _ report.Reporter = (*Console)(nil)

// New makes the reporter.
func New(o Options) *Console {
	if o.Every <= 0 {
		o.Every = 5
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	out, shared := o.Out.(*Lossy)
	if !shared {
		out = NewLossy(o.Out)
	}
	return &Console{options: o, out: out, paint: report.Palette{On: o.Color}, told: map[int]struct{}{}, paused: map[string]bool{}}
}

// Begin says what is going to run.
func (c *Console) Begin(run report.Run) error {
	c.run = run
	c.next = int64(c.options.Every) - 1
	if c.options.Quiet {
		return nil
	}
	if err := c.print("running " + title(run)); err != nil {
		return err
	}
	return c.openGroup()
}

// Observe shows or prints the state of the run. The live view opens with the first second: what is over before that flashes over no
// screen, and the answers of the terminal to what it is asked have come before the view is gone.
func (c *Console) Observe(iv *metrics.Interval, snap *metrics.Snapshot, verdicts []criteria.Verdict) error {
	if !c.opened && !iv.Final && !c.options.Quiet {
		c.live, c.opened = c.options.Desk.open(c.run, c.paint), true
	}
	if c.live != nil && c.live.over() { // the terminal is gone, or what draws the view has failed
		c.shut()
	}
	if c.live != nil {
		s := c.take(iv, snap, verdicts, max(int(c.live.rows.Load()), leastTaken))
		c.live.post(func(n *news) { n.state = s })
		return nil
	}
	if err := c.tell(iv, snap, verdicts); err != nil {
		return err
	}
	if c.options.Quiet || iv.Second < c.next && !iv.Final {
		return nil
	}
	line := plainLine(c.run, iv, snap, int(iv.Second-c.from+1))
	c.from, c.next = iv.Second+1, iv.Second+int64(c.options.Every)
	if line == "" {
		return nil
	}
	return c.print(line)
}

// leastTaken is how many rows of a list are taken over at least: the size of the terminal is not known at first, and may grow.
const leastTaken = 60

// shut takes the live view away; what went wrong with it is told at the end.
func (c *Console) shut() {
	c.live, c.failed = nil, c.options.Desk.Close()
}

// End leaves the terminal as it was, and marks in the log of CI what failed.
func (c *Console) End(o *report.Outcome) error {
	var err error
	switch {
	case c.live != nil:
		c.shut()
	case c.options.Quiet:
		err = c.annotate(o)
	default:
		if err = c.closeGroup(); err == nil {
			err = c.annotate(o)
		}
	}
	if lost := cmp.Or(c.out.Flush(), c.failed); lost != nil { // that nobody can see it is no reason to fail a run
		o.Notices = append(o.Notices, "the progress of the run could not be shown: "+lost.Error())
	}
	return err
}

// tell prints, once each, that a criterion triggered and that the generator is the bottleneck.
func (c *Console) tell(iv *metrics.Interval, snap *metrics.Snapshot, verdicts []criteria.Verdict) error {
	for i, v := range verdicts {
		if _, told := c.told[i]; told || v.Result != criteria.Failed && v.Result != criteria.Noticed {
			continue
		}
		c.told[i] = struct{}{}
		word := c.paint.Bad("criterion failed")
		if v.Result == criteria.Noticed {
			word = c.paint.Warn("criterion noticed")
		}
		text := v.Text
		if v.Rule.Message != "" {
			text = v.Rule.Message + " (" + v.Text + ")"
		}
		if err := c.print(clock(iv) + "  " + word + ": " + report.Clean(text) + ": observed " + v.Observed + ", limit " + v.Limit); err != nil {
			return err
		}
	}
	if h := snap.Health(); h.Bottleneck && !c.warned && h.Seconds >= 5 {
		c.warned = true
		return c.print(clock(iv) + "  " + c.paint.Warn("generator is the bottleneck") + ": " + h.Reason)
	}
	return nil
}

func (c *Console) print(line string) error {
	_, err := io.WriteString(c.out, line+"\n")
	return err
}

// clock is the end of a second.
func clock(iv *metrics.Interval) string {
	return report.Clock(time.Duration(iv.Second+1) * time.Second)
}

// title says what runs, until when.
func title(run report.Run) string {
	var parts []string
	for _, e := range run.Executions {
		name := report.Clean(e.Name)
		if e.Ends != "" && e.Ends != run.Ends {
			name += " (" + report.Clean(e.Ends) + ")"
		}
		parts = append(parts, name)
	}
	text := report.Clean(run.Name)
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if run.Ends != "" {
		text += "; ends " + report.Clean(run.Ends)
	}
	return text
}
