package backends_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stacrun/stacrun/stac"
)

// rustacVersion is of the package that brings the command.
const rustacVersion = "0.9.18"

// rustac returns the command of a STAC API that neither this project nor the seed tools' authors wrote. STACRUN_RUSTAC may
// name it; with STACRUN_REQUIRE_TOOLS=1 it is installed; else the test is skipped.
func rustac(t *testing.T) string {
	t.Helper()
	if name := os.Getenv("STACRUN_RUSTAC"); name != "" {
		return name
	}
	if name, err := exec.LookPath("rustac"); err == nil {
		return name
	}
	if os.Getenv("STACRUN_REQUIRE_TOOLS") != "1" {
		t.Skip("rustac is not installed: pip install rustac==" + rustacVersion + ", or STACRUN_REQUIRE_TOOLS=1 to have it done")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "stacrun", "rustac-"+rustacVersion)
	name := filepath.Join(dir, "bin", "rustac")
	if _, err := os.Stat(name); err == nil {
		return name
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	install := []string{filepath.Join(dir, "bin", "pip"), "install", "-q", "--disable-pip-version-check", "rustac==" + rustacVersion}
	for _, command := range [][]string{{"python3", "-m", "venv", "--clear", dir}, install} {
		var out []byte
		for range 2 { // a download that fails is tried once more
			if out, err = exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err == nil {
				break
			}
		}
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	return name
}

// startRustac serves the shipped sample of 100 items and returns the address.
func startRustac(t *testing.T, binary string) string {
	t.Helper()
	dir := t.TempDir()
	source := stac.Generated(1, "", 100)
	write(t, filepath.Join(dir, "collection.json"), string(source.Collection))
	var items []string
	for text, err := range source.Items {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, string(text))
	}
	write(t, filepath.Join(dir, "items.json"), `{"type":"FeatureCollection","features":[`+strings.Join(items, ",")+`]}`)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(binary, "serve", "--addr", address, "collection.json", "items.json")
	command.Dir = dir
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	})
	url := "http://" + address
	for range 100 {
		response, err := http.Get(url + "/collections/test-collection/items?limit=1") //nolint:noctx // the server is ours
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return url
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("rustac does not answer on %s", url)
	return ""
}

// TestRustac runs the shared workload against an API whose faults nobody here had in mind: its GET /search refuses our
// query string, and it ignores sortby. The checks must say so in a sentence each, and find nothing wrong with the rest.
func TestRustac(t *testing.T) {
	binary := rustac(t)
	stacrun := build(t)
	address := startRustac(t, binary)
	workload, err := filepath.Abs(filepath.Join("..", "scenarios", "stac-workload.yml"))
	if err != nil {
		t.Fatal(err)
	}
	file, dir := filepath.Join(t.TempDir(), "rustac.yml"), filepath.Join(t.TempDir(), "run")
	write(t, file, fmt.Sprintf(`included-configs: [%s]
execution: [{scenario: stac, concurrency: 2, total-iterations: 400}]
scenarios: {stac: {default-address: %q}}
reporting:
- {module: passfail, criteria: [fail>0%%]}
- module: final-stats
settings: {seed: 1}
`, workload, address))
	out := run(t, 3, stacrun, file, "--artifacts", dir)
	if want := "status of search-bbox-get: status 500: unsupported value"; !strings.Contains(out, want) {
		t.Errorf("what is printed lacks %q:\n%s", want, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Labels []struct {
			Label, Kind     string
			Count, Failures int64
		}
		Failures []struct{ Label, Text string }
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	texts := map[string]map[string]bool{}
	for _, f := range s.Failures {
		if texts[f.Label] == nil {
			texts[f.Label] = map[string]bool{}
		}
		texts[f.Label][f.Text] = true
	}
	for _, l := range s.Labels {
		if l.Kind != "" && l.Kind != "request" {
			continue
		}
		switch l.Label {
		case "search-bbox-get", "search-datetime":
			if l.Failures == 0 || len(texts[l.Label]) != 1 || !texts[l.Label]["status 500: unsupported value"] {
				t.Errorf("%s: %d failures: %v", l.Label, l.Failures, texts[l.Label])
			}
		case "search-sorted", "page-first", "page-next": // in part by GET, in part sorted
		default:
			if l.Failures != 0 || l.Count == 0 {
				t.Errorf("%s: %d of %d failed: %v", l.Label, l.Failures, l.Count, texts[l.Label])
			}
		}
	}
}
