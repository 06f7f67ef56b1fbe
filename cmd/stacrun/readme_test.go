package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/internal/ports"
)

// TestMainJob is the README's first command, shortened, on a free port: exit code 0, reports of every
// kind, and an output that has the lines of the picture at the README's beginning.
func TestMainJob(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	out := mainJob(t, 0, dir, "-o", "reporting.0.criteria.1=p95>10m", "-o", `reporting.0.criteria.2={"items by id": "p95 of item>10m"}`)
	for _, name := range []string{"junit.xml", "totals.csv", "timeline.csv", "summary.json", "intervals.log"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}

	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "```\n$ stacrun scenarios/embedded.yml\n")
	picture, _, found := strings.Cut(rest, "```\n")
	if !found {
		t.Fatal("README.md does not begin with a picture of the output")
	}
	var real []string
	for line := range strings.Lines(out) {
		real = append(real, shape(line)+" ")
	}
	defer func() {
		if t.Failed() {
			t.Logf("it printed:\n%s", out)
		}
	}()
	for line := range strings.Lines(picture) {
		// Where figures are narrow there is room for columns behind those of the README.
		s := shape(line)
		if !slices.ContainsFunc(real, func(r string) bool { return strings.HasPrefix(r, s+" ") }) {
			t.Errorf("the README shows a line that a run does not print:\n%s\nas %q", line, s)
		}
	}
}

// TestMainJobFails is the same with a criterion that cannot be met.
func TestMainJobFails(t *testing.T) {
	out := mainJob(t, 3, filepath.Join(t.TempDir(), "results"), "-o", `reporting.-1={"module": "passfail", "criteria": ["p50 of landing>0.001ms"]}`)
	if last := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]; !strings.Contains(last, "p50 of landing") {
		t.Errorf("the last line does not name the criterion: %s", last)
	}
	for _, want := range []string{"observed ", "limit <= "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// mainJob runs scenarios/embedded.yml with so many iterations that each label occurs, on a machine of any speed, and returns its stdout.
func mainJob(t *testing.T, code int, dir string, more ...string) string {
	t.Helper()
	address := ports.Free(t)
	binary := filepath.Join(t.TempDir(), "stacrun")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := append([]string{
		"../../scenarios/embedded.yml", "--artifacts", dir, "-o", "services.0.address=" + address,
		"-o", "scenarios.stac.default-address=http://" + address,
		"-o", "execution.0.ramp-up=0", "-o", "execution.0.hold-for=10m", "-o", "execution.0.iterations=40",
	}, more...)
	command := exec.CommandContext(t.Context(), binary, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	_ = command.Run()
	if got := command.ProcessState.ExitCode(); got != code {
		t.Fatalf("exit code %d, want %d\n%s\n%s", got, code, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// shape is a line without what differs from run to run: numbers with their units, widths, the folder.
func shape(line string) string {
	line = regexp.MustCompile(`^reports: \S+`).ReplaceAllString(line, "reports: DIR")
	line = regexp.MustCompile(`^generator: .*`).ReplaceAllString(line, "generator: …")
	line = regexp.MustCompile(`[\d.,]+(µs|ms|s|m|h|B|KiB|MiB|%|/s)*`).ReplaceAllString(line, "N")
	return strings.Join(strings.Fields(line), " ")
}
