package backends_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tests below install and start the backends for real. They run when STACRUN_BACKENDS names
// them (comma-separated), in STACRUN_BACKENDS_DIR when that is set: see README.md.

// backend is one real backend and how it is loaded.
type backend struct {
	name      string
	api       string // address of the STAC API
	scenario  string
	scenarios []string // further scenario files, run shortened as well
	depth     []string // variables of the scenarios that look deeper, for what the backend does in its own way
}

func allBackends() []backend {
	return []backend{
		{name: "pgstac", api: "http://127.0.0.1:8083", scenario: "pgstac.yml", depth: []string{"sort_numbers=no"}},
		{name: "opensearch", api: "http://127.0.0.1:8085", scenario: "opensearch.yml", scenarios: []string{"opensearch-engine.yml"}},
		{name: "mongo", api: "http://127.0.0.1:8086", scenario: "mongo.yml", depth: []string{"search_properties=no", "filter_times=no"}},
	}
}

func TestRealBackends(t *testing.T) {
	wanted := strings.FieldsFunc(os.Getenv("STACRUN_BACKENDS"), func(c rune) bool { return c == ',' || c == ' ' })
	if len(wanted) == 0 {
		t.Skip("STACRUN_BACKENDS is not set: no real backend is installed or started")
	}
	stacrun := build(t)
	for _, b := range allBackends() {
		if !slices.Contains(wanted, b.name) {
			continue
		}
		t.Run(b.name, func(t *testing.T) { b.test(t, stacrun) })
	}
}

// build compiles the command once.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "stacrun")
	command := exec.Command("go", "build", "-o", binary, "../cmd/stacrun")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

func (b backend) test(t *testing.T, stacrun string) {
	dir := os.Getenv("STACRUN_BACKENDS_DIR")
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "stacrun-backends-"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o711); err != nil { // the store may run as another user
			t.Fatal(err)
		}
	}
	dir = filepath.Join(dir, b.name)
	b.script(t, "install", dir)
	t.Cleanup(func() { b.script(t, "stop", dir) })
	b.script(t, "start", dir)

	// Twice: what is there already is no mistake.
	for range 2 {
		run(t, 0, stacrun, "ingest", "--api-address", b.api)
	}
	for _, scenario := range append([]string{b.scenario}, b.scenarios...) {
		b.load(t, stacrun, scenario)
	}
	b.sweep(t, stacrun)
	b.deeper(t, stacrun)
}

// deeper writes, and searches with checks of what comes back.
func (b backend) deeper(t *testing.T, stacrun string) {
	for _, scenario := range []string{"stac-write", "stac-search-depth"} {
		var variables []string
		for _, variable := range b.depth {
			variables = append(variables, "-o", "scenarios."+scenario+".variables."+variable)
		}
		dir := filepath.Join(t.TempDir(), scenario)
		out := run(t, 0, stacrun, append([]string{
			filepath.Join("..", "scenarios", scenario+".yml"), "--artifacts", dir,
			"-o", "scenarios." + scenario + ".default-address=" + b.api,
			"-o", "execution.0.concurrency=2", "-o", "execution.0.ramp-up=0", "-o", "execution.0.hold-for=5s",
		}, variables...)...)
		t.Logf("%s:\n%s", scenario, out)
		if s := readSummary(t, filepath.Join(dir, "summary.json")); s.Requests.Finished == 0 || s.Requests.Failed != 0 {
			t.Errorf("%s: %d requests finished, %d failed", scenario, s.Requests.Finished, s.Requests.Failed)
		}
	}
}

// sweep measures the seed tool's workload with two numbers of users and reads the table back.
func (b backend) sweep(t *testing.T, stacrun string) {
	table := filepath.Join(t.TempDir(), "sweep.csv")
	out := run(t, 0, stacrun, "benchmark", "--api-address", b.api, "--users", "2,4", "--run-time", "6s", "--warm-up", "1s",
		"-o", table, "--artifacts", filepath.Join(t.TempDir(), "sweep"))
	t.Logf("sweep:\n%s", out)
	file, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	want := []string{"api", "users", "requests", "failures", "median_ms", "p95_ms", "p99_ms", "rps"}
	if !slices.Equal(rows[0][:len(want)], want) {
		t.Errorf("columns %v, want %v first", rows[0], want)
	}
	for i, users := range []string{"2", "4"} {
		if row := rows[i+1]; row[1] != users || row[2] == "0" || row[3] != "0" {
			t.Errorf("row %v", row)
		}
	}
}

// load runs a shipped scenario shortened, holds its reports against each other, and runs it again
// with a criterion that cannot be met.
func (b backend) load(t *testing.T, stacrun, scenario string) {
	short := []string{"-o", "execution.0.concurrency=4", "-o", "execution.0.ramp-up=2s", "-o", "execution.0.hold-for=10s"}
	file := filepath.Join("..", "scenarios", scenario)

	results := filepath.Join(t.TempDir(), "results")
	stats := filepath.Join(results, "final-stats.csv")
	withCSV := filepath.Join(t.TempDir(), "csv.yml")
	write(t, withCSV, fmt.Sprintf("reporting:\n- module: final-stats\n  dump-csv: %s\n", stats))
	out := run(t, 0, stacrun, append([]string{file, withCSV, "--artifacts", results}, short...)...)
	t.Logf("%s:\n%s", scenario, out)

	s := readSummary(t, filepath.Join(results, "summary.json"))
	if s.Requests.Finished == 0 || s.Requests.Failed != 0 {
		t.Errorf("%s: %d requests finished, %d failed", scenario, s.Requests.Finished, s.Requests.Failed)
	}
	if s.Requests.Started != s.Requests.Finished+s.Requests.Interrupted {
		t.Errorf("%s: %d started, but %d finished + %d interrupted", scenario, s.Requests.Started, s.Requests.Finished, s.Requests.Interrupted)
	}
	counts := readCounts(t, stats)
	if counts[""] != s.Total.Count {
		t.Errorf("%s: final-stats counts %d samples, summary.json %d", scenario, counts[""], s.Total.Count)
	}
	sum := int64(0)
	for _, label := range s.Labels {
		if label.Kind != "" && label.Kind != "request" {
			continue
		}
		sum += label.Count
		if counts[label.Label] != label.Count {
			t.Errorf("%s: label %q: final-stats counts %d, summary.json %d", scenario, label.Label, counts[label.Label], label.Count)
		}
	}
	if sum != s.Total.Count {
		t.Errorf("%s: the labels add up to %d, the total is %d", scenario, sum, s.Total.Count)
	}
	checkJUnit(t, filepath.Join(results, "junit.xml"))

	impossible := filepath.Join(t.TempDir(), "impossible.yml")
	write(t, impossible, "reporting:\n- module: passfail\n  criteria:\n  - 'nobody is that fast: avg-rt>0.001ms'\n")
	out = run(t, 3, stacrun, append([]string{file, impossible, "--artifacts", filepath.Join(t.TempDir(), "failed")}, short...)...)
	for _, want := range []string{"nobody is that fast", "observed", "limit"} {
		if !strings.Contains(strings.ToLower(out), want) {
			t.Errorf("%s: the verdict on an impossible criterion lacks %q:\n%s", scenario, want, out)
		}
	}
}

func (b backend) script(t *testing.T, verb, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", b.name+".sh", verb, dir)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	t.Logf("%s.sh %s:\n%s", b.name, verb, out.String())
	if err != nil {
		t.Fatalf("%s.sh %s: %v", b.name, verb, err)
	}
}

// run runs a command, holds its exit code against want and returns what it wrote to stdout.
func run(t *testing.T, want int, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if code != want {
		t.Errorf("stacrun %s: exit code %d, want %d\n%s\n%s", strings.Join(args, " "), code, want, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// summary is the part of summary.json that is held against the other reports.
type summary struct {
	Requests struct{ Started, Finished, Interrupted, Failed int64 }
	Total    struct{ Count int64 }
	Labels   []struct {
		Label, Kind string
		Count       int64
	}
}

func readSummary(t *testing.T, name string) (s summary) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// readCounts reads the number of samples per label from a final-stats dump; "" is the total.
func readCounts(t *testing.T, name string) map[string]int64 {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%s: %d rows, %v", name, len(rows), err)
	}
	label, count := slices.Index(rows[0], "label"), slices.Index(rows[0], "throughput") // Taurus' name for the number of samples
	counts := map[string]int64{}
	for _, row := range rows[1:] {
		n, err := strconv.ParseInt(row[count], 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		counts[row[label]] = n
	}
	return counts
}

func checkJUnit(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
		return
	}
	var suites struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &suites); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for _, suite := range suites.Suites {
		if suite.Tests == 0 || suite.Failures+suite.Errors != 0 {
			t.Errorf("%s: %+v", name, suite)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
