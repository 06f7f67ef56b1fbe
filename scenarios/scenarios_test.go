// Package scenarios_test runs the shipped scenario files through the command, against the embedded API.
package scenarios_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// build compiles the command once.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "stacrun")
	command := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../cmd/stacrun")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build the command: %v\n%s", err, out)
	}
	return binary
}

// serve starts an embedded API with items and returns its address.
func serve(t *testing.T, binary string, items int, more ...string) string {
	t.Helper()
	command := exec.Command(binary, append([]string{"serve", "--addr", "127.0.0.1:0", "--items", fmt.Sprint(items)}, more...)...) //nolint:noctx // ended below
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(line) {
		if strings.HasPrefix(word, "http://") {
			return strings.TrimSuffix(word, "/")
		}
	}
	t.Fatalf("no address in %q", line)
	return ""
}

// run runs the command and returns its exit code and what it printed.
func run(t *testing.T, binary string, arguments ...string) (code int, out string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), binary, arguments...)
	var text bytes.Buffer
	command.Stdout, command.Stderr = &text, &text
	err := command.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), text.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, text.String()
}

// summary is what this test reads of summary.json.
type summary struct {
	Outcome  string
	Requests struct{ Started, Finished, Interrupted, Failed int64 }
	Labels   []struct {
		Label string
		Count int64
	}
}

func read(t *testing.T, dir string) summary {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// shared are the labels of the workload that the files of the backends have in common.
func shared() []string {
	return []string{
		"landing", "collections", "collection", "items", "item", "search-bbox-get", "search-bbox-post", "search-point",
		"search-polygon", "search-datetime", "search-sorted", "page-first", "page-next",
	}
}

func TestEveryFileValidates(t *testing.T) {
	binary := build(t)
	files, err := filepath.Glob("*.yml")
	if err != nil || len(files) < 8 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		if file == "stac-workload.yml" {
			continue // a part of others
		}
		if code, out := run(t, binary, "validate", file); code != 0 || strings.Contains(out, "warning") {
			t.Errorf("%s: exit %d\n%s", file, code, out)
		}
	}
}

func TestWorkloadsPassOnTheEmbeddedAPI(t *testing.T) {
	binary := build(t)
	address := serve(t, binary, 100)
	labels := map[string][]string{"seed-parity.yml": {
		"get-landing", "get-collections", "get-collection", "get-items", "get-item", "post-search-bbox", "post-search-intersects",
		"get-search-collection", "post-search-collection", "post-multisearch-intersects", "get-multisearch-bbox", "post-multisearch-bbox",
	}}
	scenario := map[string]string{"seed-parity.yml": "seed"}
	for _, file := range []string{"opensearch.yml", "elasticsearch.yml", "pgstac.yml", "mongo.yml", "stac-os-rs.yml", "seed-parity.yml"} {
		t.Run(file, func(t *testing.T) {
			name := "stac"
			if scenario[file] != "" {
				name = scenario[file]
			}
			dir := filepath.Join(t.TempDir(), "run")
			shorter := []string{
				file, "--artifacts", dir, "-o", "scenarios." + name + ".default-address=" + address,
				"-o", "execution.0.ramp-up=0", "-o", "execution.0.hold-for=0", "-o", "execution.0.concurrency=4", "-o", "execution.0.total-iterations=400",
			}
			code, out := run(t, binary, shorter...)
			if code != 0 {
				t.Fatalf("exit %d\n%s", code, out)
			}
			s := read(t, dir)
			if s.Outcome != "passed" || s.Requests.Failed != 0 || s.Requests.Started != s.Requests.Finished+s.Requests.Interrupted {
				t.Errorf("%+v", s)
			}
			want := labels[file]
			if want == nil {
				want = shared()
			}
			for _, label := range want {
				if !slices.ContainsFunc(s.Labels, func(l struct {
					Label string
					Count int64
				}) bool {
					return l.Label == label && l.Count > 0
				}) {
					t.Errorf("no sample of %s\n%s", label, out)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "junit.xml")); err != nil {
				t.Error(err)
			}
		})
	}
}

// An API that answers every request with status 200 and nothing in it must not pass.
func TestEmptyAnswersFail(t *testing.T) {
	binary := build(t)
	address := serve(t, binary, 0)
	document := `{"type":"Collection","stac_version":"1.0.0","id":"test-collection","description":"d","license":"x",` +
		`"extent":{"spatial":{"bbox":[[0,0,1,1]]},"temporal":{"interval":[[null,null]]}}}`
	response, err := http.Post(address+"/collections", "application/json", strings.NewReader(document)) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	dir := filepath.Join(t.TempDir(), "run")
	code, out := run(t, binary, "pgstac.yml", "--artifacts", dir, "-o", "scenarios.stac.default-address="+address,
		"-o", "execution.0.ramp-up=0", "-o", "execution.0.hold-for=0", "-o", "execution.0.concurrency=2", "-o", "execution.0.total-iterations=200")
	if code != 3 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	s := read(t, dir)
	if s.Outcome != "failed" || s.Requests.Failed < s.Requests.Finished/2 {
		t.Errorf("%+v", s)
	}
}

func TestQuickStart(t *testing.T) {
	binary := build(t)
	for name, tt := range map[string]struct {
		more []string
		want int
	}{
		"as shipped but shorter":  {nil, 0},
		"an impossible criterion": {[]string{"-o", "reporting.0.criteria.0=avg-rt>0ms"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			arguments := append([]string{
				"embedded.yml", "--artifacts", dir, "-o", "execution.0.ramp-up=0", "-o", "execution.0.hold-for=1s",
				"-o", "services.0.address=127.0.0.1:18097", "-o", "scenarios.stac.default-address=http://127.0.0.1:18097",
			}, tt.more...)
			code, out := run(t, binary, arguments...)
			if code != tt.want {
				t.Fatalf("exit %d, want %d\n%s", code, tt.want, out)
			}
			for _, file := range []string{"junit.xml", "totals.csv", "timeline.csv", "summary.json", "intervals.log"} {
				if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
					t.Error(err)
				}
			}
			if tt.want == 3 && !strings.Contains(out, "observed") {
				t.Errorf("no observed value in\n%s", out)
			}
		})
	}
}
