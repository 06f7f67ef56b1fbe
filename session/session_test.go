package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters"
	"github.com/stacrun/stacrun/reporters/report"
)

// document is a plan over a server that is never asked: the source of these tests is made up.
const document = `
execution: {concurrency: 1, iterations: 1, scenario: s}
scenarios:
  s:
    requests: [{url: 'http://127.0.0.1:1/', label: home}]
reporting:
- module: passfail
  criteria:
`

// prepare makes a file with the given criteria ready, without reporters that print.
func prepare(t *testing.T, criteria ...string) *Prepared {
	t.Helper()
	text := document
	for _, c := range criteria {
		text += "  - '" + c + "'\n"
	}
	if len(criteria) == 0 {
		text = strings.Replace(text, "  criteria:\n", "  criteria: []\n", 1)
	}
	file, found := config.Load(context.Background(), nil, config.Options{Documents: []config.Document{{Name: "test.yml", Text: []byte(text)}}})
	if found.HasErrors() {
		t.Fatal(found)
	}
	var out strings.Builder
	p, found := Prepare(file, Options{Reporters: reporters.Options{Stdout: &out, Stderr: &out, Quiet: true}})
	if found.HasErrors() {
		t.Fatal(found)
	}
	return p
}

// made is a source of made-up intervals.
type made struct {
	intervals []*metrics.Interval
	err       error
	gate      chan struct{} // when set, the second half comes only after Stop
	stops     []string
}

func (m *made) Start(context.Context) (<-chan *metrics.Interval, error) {
	out := make(chan *metrics.Interval)
	go func() {
		defer close(out)
		for i, interval := range m.intervals {
			if m.gate != nil && i == len(m.intervals)/2 {
				<-m.gate
			}
			out <- interval
		}
	}()
	return out, nil
}

func (m *made) Control(engine.Command) error { return nil }
func (m *made) Abort(reason string)          { m.Stop(reason) }
func (m *made) Err() error                   { return m.err }
func (m *made) Stop(reason string) {
	if m.stops = append(m.stops, reason); len(m.stops) == 1 && m.gate != nil {
		close(m.gate)
	}
}

// seconds makes n intervals with one request of the given time each; failing ones have status 500.
func seconds(n int, ns int64, failing bool) []*metrics.Interval {
	collector := metrics.NewCollector(metrics.CollectorOptions{})
	label := collector.Label("s", metrics.RequestKind, "home")
	var list []*metrics.Interval
	for i := range n {
		start := int64(i) * 1e9
		sample := metrics.Sample{
			Scheduled: start, Start: start, DNS: start, Connected: start, TLS: start, Sent: start, FirstByte: start + ns, End: start + ns,
			Label: label, Status: 200, Exchanges: 1, Users: 1,
		}
		if failing {
			sample.Status, sample.Fault, sample.Flags = 500, metrics.FaultStatus, metrics.Failed
		}
		load := collector.Load("s", false)
		load.RequestStarted(0)
		collector.Record(&sample)
		interval := collector.Swap(int64(i))
		interval.Final = i == n-1
		list = append(list, interval)
	}
	return list
}

func TestOutcome(t *testing.T) {
	const fast, slow = 1e6, 500e6
	tests := []struct {
		name      string
		criteria  []string
		source    *made
		interrupt bool
		want      report.Result
		code      int
	}{
		{"all is well", []string{"avg-rt>100ms"}, &made{intervals: seconds(3, fast, false)}, false, report.ResultPassed, 0},
		{"a rule judged at the end", []string{"avg-rt>100ms"}, &made{intervals: seconds(3, slow, false)}, false, report.ResultFailed, 3},
		{"every request failed and no rule", nil, &made{intervals: seconds(3, fast, true)}, false, report.ResultFailed, 3},
		{"every request failed and the rule is about times", []string{"avg-rt>100ms"}, &made{intervals: seconds(3, fast, true)}, false, report.ResultFailed, 3},
		{"every request failed and a rule allows it", []string{"fail<1"}, &made{intervals: seconds(3, fast, true)}, false, report.ResultPassed, 0},
		{"no sample", nil, &made{intervals: []*metrics.Interval{{Final: true}}}, false, report.ResultError, 1},
		{"the source broke", []string{"avg-rt>100ms"}, &made{intervals: seconds(3, slow, false), err: errors.New("out of sockets")}, false, report.ResultError, 1},
		{"interrupted", []string{"avg-rt>100ms"}, &made{intervals: seconds(4, slow, false), gate: make(chan struct{})}, true, report.ResultInterrupted, 2},
		{
			"a windowed rule outweighs an interruption", []string{"avg-rt>100ms for 1s, continue as failed"},
			&made{intervals: seconds(4, slow, false), gate: make(chan struct{})}, true, report.ResultFailed, 3,
		},
		{"a notice does not fail", []string{"avg-rt>100ms for 1s, continue as non-failed"}, &made{intervals: seconds(3, slow, false)}, false, report.ResultPassed, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			interrupts := make(chan string, 2)
			if test.interrupt {
				interrupts <- "interrupted by a test"
				// Before the load an interruption ends the run at once; here it is to come in mid-run.
				test.source.gate = make(chan struct{})
			}
			p := prepare(t, test.criteria...)
			opts := RunOptions{Dir: dir, Source: test.source}
			if test.interrupt {
				opts.Source = &interrupting{made: test.source, from: interrupts, to: make(chan string, 2)}
				opts.Interrupts = opts.Source.(*interrupting).to
			}
			outcome, _ := Run(t.Context(), p, opts)
			if outcome.Result != test.want || outcome.ExitCode != test.code {
				t.Errorf("%s, exit code %d (%s), want %s, %d", outcome.Result, outcome.ExitCode, outcome.Reason, test.want, test.code)
			}
			replayed, err := Replay(dir)
			if err != nil {
				t.Fatal(err)
			}
			if replayed.Outcome.Result != test.want || replayed.Outcome.ExitCode != test.code {
				t.Errorf("replayed: %s, exit code %d", replayed.Outcome.Result, replayed.Outcome.ExitCode)
			}
			for i, v := range outcome.Verdicts {
				if again := replayed.Outcome.Verdicts[i]; again.Result != v.Result || again.Fails != v.Fails || again.Reason != v.Reason {
					t.Errorf("%s: %s (%s), replayed: %s (%s)", v.Text, v.Result, v.Reason, again.Result, again.Reason)
				}
			}
			if got, want := replayed.Outcome.Snapshot.Total().Finished, outcome.Snapshot.Total().Finished; got != want {
				t.Errorf("replayed %d samples, want %d", got, want)
			}
		})
	}
}

// interrupting passes an interruption on once the load has started.
type interrupting struct {
	*made
	from, to chan string
}

func (i *interrupting) Start(ctx context.Context) (<-chan *metrics.Interval, error) {
	i.to <- <-i.from
	return i.made.Start(ctx)
}

// TestCriterionStopsTheRun: a rule that wants to stop asks the source once, and says why.
func TestCriterionStopsTheRun(t *testing.T) {
	source := &made{intervals: seconds(6, 500e6, false), gate: make(chan struct{})}
	outcome, _ := Run(t.Context(), prepare(t, "avg-rt>100ms for 2s, stop as failed"), RunOptions{Dir: filepath.Join(t.TempDir(), "run"), Source: source})
	if outcome.ExitCode != ExitFailed || len(source.stops) != 1 || !strings.Contains(source.stops[0], "avg-rt>100ms for 2s") {
		t.Errorf("exit code %d, stopped by %q", outcome.ExitCode, source.stops)
	}
}

// recorder is a service that writes its stages down.
type recorder struct {
	name  string
	stage *[]string
	fail  string // stage that fails
}

func (r *recorder) note(stage string) error {
	*r.stage = append(*r.stage, r.name+" "+stage)
	if stage == r.fail {
		return errors.New("out of order")
	}
	return nil
}

func (r *recorder) Name() string                                   { return r.name }
func (r *recorder) Prepare(context.Context, string) error          { return r.note("prepare") }
func (r *recorder) Startup(context.Context) error                  { return r.note("startup") }
func (r *recorder) Check(context.Context) error                    { return nil }
func (r *recorder) Shutdown(context.Context) error                 { return r.note("shutdown") }
func (r *recorder) PostProcess(context.Context, int, string) error { return r.note("post-process") }

func TestServiceStages(t *testing.T) {
	tests := []struct {
		name, fail string
		code       int
		want       []string
	}{
		{"all well", "", 0, []string{
			"a prepare", "b prepare", "a startup", "b startup", "b shutdown", "a shutdown", "a post-process", "b post-process",
		}},
		{"what was begun is ended", "prepare", 1, []string{"a prepare", "a shutdown", "a post-process"}},
		{"startup fails", "startup", 1, []string{
			"a prepare", "b prepare", "a startup", "b shutdown", "a shutdown", "a post-process", "b post-process",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stages []string
			p := prepare(t)
			p.Services = []Service{&recorder{"a", &stages, test.fail}, &recorder{"b", &stages, ""}}
			p.File.Settings.Preflight = false
			dir := filepath.Join(t.TempDir(), "run")
			outcome, _ := Run(t.Context(), p, RunOptions{Dir: dir, Source: &made{intervals: seconds(2, 1e6, false)}})
			if outcome.ExitCode != test.code {
				t.Errorf("exit code %d (%s), want %d", outcome.ExitCode, outcome.Reason, test.code)
			}
			if diff := cmp.Diff(test.want, stages); diff != "" {
				t.Error(diff)
			}
			if _, err := os.Stat(filepath.Join(dir, SummaryFile)); err != nil {
				t.Error(err) // always written, whatever happened
			}
		})
	}
}

// TestKilledRun: a log that was cut anywhere in its last interval gives all earlier ones.
func TestKilledRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if outcome, _ := Run(t.Context(), prepare(t), RunOptions{Dir: dir, Source: &made{intervals: seconds(5, 1e6, false)}}); outcome.ExitCode != 0 {
		t.Fatal(outcome.Reason)
	}
	if err := os.Remove(filepath.Join(dir, SummaryFile)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, LogFile)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var counts []int64
	for cut := range 40 {
		if err := os.WriteFile(name, whole[:len(whole)-cut], 0o644); err != nil {
			t.Fatal(err)
		}
		replayed, err := Replay(dir)
		if err != nil {
			t.Fatalf("cut by %d bytes: %v", cut, err)
		}
		counts = append(counts, replayed.Outcome.Snapshot.Total().Finished)
		if complete := cut == 0; replayed.Complete != complete || (replayed.Outcome.Result == report.ResultPassed) != complete {
			t.Errorf("cut by %d bytes: complete %t, %s", cut, replayed.Complete, replayed.Outcome.Result)
		}
	}
	if counts[0] != 5 || slices.Min(counts) < 4 {
		t.Errorf("samples after cuts: %v", counts)
	}
}

// TestFurtherMistakes: mistakes of different rooms are told at once, consequences of others are not.
func TestFurtherMistakes(t *testing.T) {
	load := func(text string) (codes []string) {
		file, found := config.Load(context.Background(), nil, config.Options{Documents: []config.Document{{Name: "test.yml", Text: []byte(text)}}})
		for _, d := range append(found, Further(file, Options{}, found)...) {
			codes = append(codes, d.Code)
		}
		slices.Sort(codes)
		return codes
	}
	independent := `
execution: {concurrency: 1, iterations: 1, scenario: s}
scenarios:
  s:
    requests: [{url: 'http://127.0.0.1:1/${missing}', label: home, extract-jsonpath: {a: '$['}}]
reporting:
- {module: passfail, criteria: [p95 of hoem>1s], crietria: []}
`
	if diff := cmp.Diff([]string{"bad-jsonpath", "unknown-key", "unknown-variable"}, load(independent)); diff != "" {
		t.Error(diff)
	}
	consequence := `
execution: {concurrency: 1, iterations: 1, scenario: s}
scenarios:
  s:
    requests: [{url: 'http://127.0.0.1:1/', extract-jsonpth: {a: $.a}}, 'http://127.0.0.1:1/${a}']
`
	if diff := cmp.Diff([]string{"unknown-key"}, load(consequence)); diff != "" {
		t.Error(diff)
	}
}

// TestFurtherUndefinedVariables: ${v} is told beside another mistake, unless that may be why nothing defines it.
func TestFurtherUndefinedVariables(t *testing.T) {
	tests := []struct {
		name, scenario string
		told           bool
	}{
		{"a method in another step", `{requests: [{url: /a, method: "G T"}, '/${v}']}`, true},
		{"a step that uses it too", `{requests: [{url: '/${v}', method: "G T"}, '/${v}']}`, true},
		{"a load that is no number", `{timeout: x, requests: ['/${v}']}`, true},
		{"a similar name", `{requests: [{url: /a, extract-jsonpth: {vv: $.a}}, '/${v}']}`, true},
		{"an extractor misspelt", `{requests: [{url: /a, extract-jsonpth: {v: $.a}}, '/${v}']}`, false},
		{"an extractor with a wrong path", `{requests: [{url: /a, extract-jsonpath: {v: {jsonpath: $.a, scope: x}}}, '/${v}']}`, false},
		{"a step of a step", `{requests: [{if: 1 == 1, then: [{url: /a, method: "G T", extract-jsonpath: {v: $.a}}]}, '/${v}']}`, false},
		{"a function that sets it", `{requests: [{url: '/${__counter(,v)}', method: "G T"}, '/${v}']}`, false},
		{"variables of a wrong form", `{variables: [v], requests: ['/${v}']}`, false},
		{"columns that nobody knows", `{data-sources: [{path: missing.csv, delimiter: [x]}], requests: ['/${v}']}`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := "execution: {concurrency: 1, iterations: 1, scenario: s}\nscenarios:\n  s:\n    default-address: http://127.0.0.1:1\n" +
				"    <<: " + strings.ReplaceAll(test.scenario, "'/${v}']", "\n      '/${v}']") + "\n" // mistakes of one line are told once
			file, found := config.Load(t.Context(), nil, config.Options{Documents: []config.Document{{Name: "test.yml", Text: []byte(text)}}})
			if !found.HasErrors() {
				t.Fatal("there is no other mistake")
			}
			found = append(found, Further(file, Options{}, found)...)
			told := slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == "unknown-variable" })
			if told != test.told {
				t.Errorf("told: %v, want %v of %v", told, test.told, found)
			}
		})
	}
}

// TestFurtherSurvivesAnyFile: what is left of a broken file may be compiled without harm.
func TestFurtherSurvivesAnyFile(t *testing.T) {
	names, err := filepath.Glob("../config/testdata/*.bad.yml")
	if err != nil || len(names) < 50 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		file, found := config.Load(context.Background(), []string{name}, config.Options{})
		Further(file, Options{}, found)
	}
}

func TestFolderThatHoldsARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	run := func(overwrite bool) *report.Outcome {
		outcome, _ := Run(t.Context(), prepare(t), RunOptions{Dir: dir, Overwrite: overwrite, Source: &made{intervals: seconds(2, 1e6, false)}})
		return outcome
	}
	if o := run(false); o.ExitCode != 0 {
		t.Fatal(o.Reason)
	}
	if o := run(false); o.ExitCode != ExitError || !strings.Contains(o.Reason, ErrHoldsRun.Error()) {
		t.Errorf("exit code %d: %s", o.ExitCode, o.Reason)
	}
	if o := run(true); o.ExitCode != 0 {
		t.Error(o.Reason)
	}
	if FreeFolder(dir) == dir {
		t.Error("a folder that holds a run is taken for free")
	}
}

// TestSecretsAreMasked: no artifact holds a password of the document.
func TestSecretsAreMasked(t *testing.T) {
	p := prepare(t)
	p.File.Merged.Get("scenarios").Get("s").Set("headers", p.File.Merged.Pos, &config.Node{Kind: config.Mapping, Entries: []config.Entry{
		{Key: "Authorization", Value: &config.Node{Kind: config.Scalar, Text: "Bearer sesame-open"}},
	}})
	dir := filepath.Join(t.TempDir(), "run")
	Run(t.Context(), p, RunOptions{Dir: dir, Source: &made{intervals: seconds(1, 1e6, false)}})
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "sesame-open") {
			t.Errorf("%s holds a secret", file.Name())
		}
	}
}
