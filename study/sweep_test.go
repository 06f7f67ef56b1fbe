package study

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/reporters/report"
)

func sweepOptions() SweepOptions {
	return SweepOptions{
		Addresses: []string{"http://a:1", "http://b:2"}, Users: []int{10, 50}, RunTime: time.Minute, SpawnRate: 10, Pause: time.Second, Rest: noRest, Dir: "out",
	}
}

func TestSweepMeasuresOneAddressAfterTheOther(t *testing.T) {
	var seen []string
	runner := &fakeRunner{make: func(file *config.File, _ int) (Result, error) {
		x := file.Executions[0].Load
		seen = append(seen, file.Scenarios[0].DefaultAddress.Value+" "+(x.HoldFor.V+time.Duration(float64(x.Concurrency.V)/x.SpawnRate.V*1e9)).String())
		return steady(2, 100*x.Concurrency.V, 5e6), nil
	}}
	o := sweepOptions()
	o.WarmUp = 5 * time.Second
	saved := 0
	o.Save = func(*report.Sweep) error { saved++; return nil }
	sweep, err := RunSweep(context.Background(), mustLoad(t, searchDocument), runner, o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"http://a:1 5s", "http://a:1 1m0s", "http://a:1 1m0s", "http://b:2 5s", "http://b:2 1m0s", "http://b:2 1m0s"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	if sweep.Missing() != 0 || sweep.Interrupted || saved < 5 {
		t.Errorf("missing %d, interrupted %v, saved %d times", sweep.Missing(), sweep.Interrupted, saved)
	}
	row := sweep.Row("http://b:2", 50)
	if row == nil || row.Requests != 10000 || row.RPS != 5000 || row.MedianMS < 4.9 || row.MedianMS > 5.1 {
		t.Errorf("%+v", row)
	}
}

func TestSweepCSVIsReadBack(t *testing.T) {
	runner := &fakeRunner{make: func(*config.File, int) (Result, error) { return steady(1, 10, 1e6), nil }}
	o := sweepOptions()
	o.Unusable = map[string]string{"http://b:2": "says \"no\", and\nmore"}
	sweep, err := RunSweep(context.Background(), mustLoad(t, searchDocument), runner, o)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := sweep.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(records[0][:8], ","); got != "api,users,requests,failures,median_ms,p95_ms,p99_ms,rps" {
		t.Errorf("columns %s", got)
	}
	if len(records) != 5 {
		t.Fatalf("%d lines", len(records))
	}
	if diff := cmp.Diff([]string{"http://a:1", "10", "10", "0", "1.000", "1.000", "1.000", "10.000"}, records[1][:8]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"http://b:2", "10", "0", "0", "", "", "", ""}, records[3][:8]); diff != "" {
		t.Error(diff)
	}
	if records[3][16] != "says \"no\", and\nmore" {
		t.Errorf("error %q", records[3][16])
	}
}

func TestSweepResumesWhatIsMissing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	runner := &fakeRunner{}
	runner.make = func(_ *config.File, n int) (Result, error) {
		r := steady(1, 10, 1e6)
		if n == 1 { // the second run is interrupted
			cancel()
			r.Outcome.Result = report.ResultInterrupted
		}
		return r, nil
	}
	load := mustLoad(t, searchDocument)
	o := sweepOptions()
	half, err := RunSweep(ctx, load, runner, o)
	if err != nil || !half.Interrupted || half.Missing() != 3 || len(half.Rows) != 2 {
		t.Fatalf("%v %+v", err, half)
	}
	o.Earlier = half
	rest := &fakeRunner{make: func(*config.File, int) (Result, error) { return steady(1, 20, 1e6), nil }}
	whole, err := RunSweep(context.Background(), load, rest, o)
	if err != nil || whole.Missing() != 0 {
		t.Fatalf("%v %+v", err, whole)
	}
	if len(rest.runs) != 3 {
		t.Errorf("%d runs were made, want 3", len(rest.runs))
	}
	if row := whole.Row("http://a:1", 10); row.Requests != 10 {
		t.Errorf("the complete row was measured again: %+v", row)
	}
	o.Earlier, o.RunTime = whole, time.Hour
	if _, err := RunSweep(context.Background(), load, rest, o); err == nil || !strings.Contains(err.Error(), "--run-time") {
		t.Errorf("another run time: %v", err)
	}
}

func TestSweepRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, document string
		change         func(*SweepOptions)
		want           string
	}{
		{"a ramp that does not end", searchDocument, func(o *SweepOptions) { o.Users = []int{1000} }, "takes 1m40s"},
		{"users twice", searchDocument, func(o *SweepOptions) { o.Users = []int{5, 5} }, "twice"},
		{"no users", searchDocument, func(o *SweepOptions) { o.Users = []int{0} }, "1 or more"},
		{"addresses twice", searchDocument, func(o *SweepOptions) { o.Addresses = []string{"http://a", "http://a"} }, "twice"},
		{"two executions", strings.Replace(searchDocument, "{concurrency: 3, hold-for: 10s, scenario: s}", "[{scenario: s, iterations: 1}, {scenario: s, iterations: 1}]", 1), nil, "one execution"},
		{"no address to replace", strings.Replace(searchDocument, "default-address: http://127.0.0.1:9\n    requests: [{url: /", "requests: [{url: 'http://x/'", 1), nil, "default-address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := sweepOptions()
			if tt.change != nil {
				tt.change(&o)
			}
			runner := &fakeRunner{}
			_, err := RunSweep(context.Background(), mustLoad(t, tt.document), runner, o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if len(runner.runs) > 0 {
				t.Error("something was run")
			}
		})
	}
}

func TestSweepKeepsRowsOfRunsThatFail(t *testing.T) {
	runner := &fakeRunner{make: func(_ *config.File, n int) (Result, error) {
		if n == 2 {
			return Result{}, errors.New("disk full")
		}
		return steady(1, 10, 1e6), nil
	}}
	sweep, err := RunSweep(context.Background(), mustLoad(t, searchDocument), runner, sweepOptions())
	if err != nil {
		t.Fatal(err)
	}
	if row := sweep.Row("http://b:2", 10); row.Error != "disk full" || row.Outcome != report.ResultError {
		t.Errorf("%+v", row)
	}
	if row := sweep.Row("http://b:2", 50); !row.Complete() {
		t.Errorf("%+v", row)
	}
}
