package session

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
	jsonreport "github.com/stacrun/stacrun/reporters/json"
)

// lingering is a service of which a stage goes on until it is cancelled, and which somebody interrupts at that stage.
type lingering struct {
	recorder
	at         string
	interrupts chan string
}

func (p *lingering) wait(ctx context.Context, stage string) error {
	if err := p.note(stage); err != nil || stage != p.at {
		return err
	}
	p.interrupts <- "one"
	p.interrupts <- "two"
	<-ctx.Done()
	return ctx.Err()
}

func (p *lingering) Shutdown(ctx context.Context) error { return p.wait(ctx, "shutdown") }

func (p *lingering) PostProcess(ctx context.Context, _ int, _ string) error {
	return p.wait(ctx, "post-process")
}

// A second interruption ends the stage that goes on, and the others are still called.
func TestInterruptedLastStages(t *testing.T) {
	for _, tt := range []struct {
		at       string
		criteria []string
		code     int
		reason   string
	}{
		{"shutdown", nil, ExitInterrupted, "one"},
		{"post-process", nil, ExitInterrupted, "one"},
		{"post-process", []string{"hits>0"}, ExitFailed, "hits>0 (observed 2, limit <= 0)"},
	} {
		t.Run(tt.at, func(t *testing.T) {
			var stages []string
			interrupts := make(chan string)
			p := prepare(t, tt.criteria...)
			p.Services = []Service{&lingering{recorder{name: "a", stage: &stages}, tt.at, interrupts}, &recorder{"b", &stages, ""}}
			p.File.Settings.Preflight = false
			dir := filepath.Join(t.TempDir(), "run")
			outcome, _ := Run(t.Context(), p, RunOptions{
				Dir: dir, Source: &made{intervals: seconds(2, 1e6, false)}, Interrupts: interrupts,
			})
			if outcome.ExitCode != tt.code || outcome.Reason != tt.reason || len(outcome.Errors) > 0 {
				t.Errorf("exit code %d (%s), want %d (%s); %v", outcome.ExitCode, outcome.Reason, tt.code, tt.reason, outcome.Errors)
			}
			if summary := readSummary(t, dir); summary.ExitCode != tt.code || summary.Outcome != string(outcome.Result) || summary.Reason != tt.reason || len(summary.Artifacts) == 0 {
				t.Errorf("the summary tells of another end: %+v", summary)
			}
			want := []string{
				"a prepare", "b prepare", "a startup", "b startup", "b shutdown", "a shutdown", "a post-process", "b post-process",
			}
			if diff := cmp.Diff(want, stages); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func readSummary(t *testing.T, dir string) (summary jsonreport.Summary) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, SummaryFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &summary); err != nil {
		t.Fatal(err)
	}
	return summary
}

// A service that fails behind the reports makes the run end with an error, and they say so.
func TestFailedPostProcessIsInTheSummary(t *testing.T) {
	var stages []string
	p := prepare(t)
	p.Services = []Service{&recorder{"a", &stages, "post-process"}}
	p.File.Settings.Preflight = false
	dir := filepath.Join(t.TempDir(), "run")
	outcome, _ := Run(t.Context(), p, RunOptions{Dir: dir, Source: &made{intervals: seconds(2, 1e6, false)}})
	summary := readSummary(t, dir)
	if outcome.ExitCode != ExitError || summary.ExitCode != ExitError || summary.Outcome != "error" || summary.Reason != outcome.Reason || len(summary.Errors) != 1 {
		t.Errorf("outcome %d (%s), summary %d %s (%s) %q", outcome.ExitCode, outcome.Reason, summary.ExitCode, summary.Outcome, summary.Reason, summary.Errors)
	}
}

// What was interrupted at once before its last stages is cleaned up all the same.
func TestLastStagesOfWhatWasStopped(t *testing.T) {
	hard, stop := context.WithCancel(t.Context())
	stop()
	ctx, release := lastly(hard)
	if ctx.Err() != nil {
		t.Error("the last stages would not take place")
	}
	release()
}

// looking is a source that does not start before it is cancelled, as one whose agents look at targets that hang.
type looking struct {
	made
	interrupts chan string
}

func (l *looking) Start(ctx context.Context) (<-chan *metrics.Interval, error) {
	l.interrupts <- "one"
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// The first interruption ends a start that takes long: nothing has begun that could finish.
func TestInterruptedStart(t *testing.T) {
	interrupts := make(chan string)
	p := prepare(t, "hits>0")
	p.File.Settings.Preflight = false
	outcome, _ := Run(t.Context(), p, RunOptions{
		Dir: filepath.Join(t.TempDir(), "run"), Source: &looking{interrupts: interrupts}, Interrupts: interrupts,
	})
	if outcome.ExitCode != ExitInterrupted || outcome.Reason != "one" || len(outcome.Errors) > 0 {
		t.Errorf("exit code %d (%s), want %d (one); %v", outcome.ExitCode, outcome.Reason, ExitInterrupted, outcome.Errors)
	}
}
