package webhook

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/report"
)

// When a message is posted.
const (
	End       = "end"       // when the run has ended
	Failure   = "failure"   // when it has ended and did not pass
	Criterion = "criterion" // when a criterion triggers while it goes on
)

// Options of webhook.
type Options struct {
	URL     *url.URL
	On      []string // [End], [Failure], [Criterion]
	Slack   bool     // the text alone
	Headers map[string]string
	Timeout time.Duration // of a post; 0: [outlet.DefaultTimeout]
}

// Webhook posts messages.
type Webhook struct {
	options Options
	run     report.Run
	client  *outlet.Client
	queue   *outlet.Queue[[]byte]
	told    map[int]bool // criteria that have triggered, by their place
}

var _ report.Sender = (*Webhook)(nil)

// New makes the reporter.
func New(o Options) *Webhook { return &Webhook{options: o, told: map[int]bool{}} }

// Begin starts the goroutine that posts.
func (w *Webhook) Begin(run report.Run) error {
	w.run = run
	w.client = outlet.NewClient(w.options.URL, w.options.Headers)
	w.queue = outlet.Start(outlet.Options{
		Dying: run.Dying,
		Name:  "webhook at " + w.options.URL.Host, Unit: "messages", Batch: 1, Timeout: w.options.Timeout,
	}, w.deliver)
	return nil
}

// Observe posts a message for each criterion that has triggered since the last second.
func (w *Webhook) Observe(iv *metrics.Interval, _ *metrics.Snapshot, verdicts []criteria.Verdict) error {
	if !slices.Contains(w.options.On, Criterion) {
		return nil
	}
	for i, v := range verdicts {
		if !v.Windowed || v.Result != criteria.Failed && v.Result != criteria.Noticed || w.told[i] {
			continue // cumulative rules are judged at the end
		}
		w.told[i] = true
		w.put(newTriggered(w.run, v, time.Duration(iv.Second+1)*time.Second))
	}
	return nil
}

// End posts how the run ended.
func (w *Webhook) End(o *report.Outcome) error {
	if slices.Contains(w.options.On, End) || slices.Contains(w.options.On, Failure) && o.Result != report.ResultPassed {
		w.put(newEnded(w.run, o))
	}
	if notice := w.queue.Close(); notice != "" {
		o.Notices = append(o.Notices, notice)
	}
	w.client.Close()
	return nil
}

// Hurry implements report.Sender.
func (w *Webhook) Hurry() { w.queue.Hurry() }

func (w *Webhook) put(m *Message) {
	var body []byte
	if w.options.Slack {
		body, _ = json.Marshal(map[string]string{"text": m.slack()}) // texts always can be
	} else {
		body, _ = json.Marshal(m) // of plain values, none of which is NaN
	}
	w.queue.Put(body)
}

func (w *Webhook) deliver(ctx context.Context, messages [][]byte) error {
	for _, body := range messages {
		header := map[string]string{"Content-Type": "application/json", "User-Agent": "stacrun/" + w.run.Version}
		if _, err := w.client.Post(ctx, body, header); err != nil {
			return err
		}
	}
	return nil
}
