//go:build unix

package services

import (
	"archive/zip"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/internal/ports"
)

// load reads the services of a document.
func load(t *testing.T, document string) *config.File {
	t.Helper()
	const rest = "\nexecution: [{scenario: s, iterations: 1}]\nscenarios: {s: {requests: [http://127.0.0.1:1/]}}\n"
	file, found := config.Load(t.Context(), []string{"f.yml"}, config.Options{FS: func(string) ([]byte, error) { return []byte(document + rest), nil }})
	if found.HasErrors() {
		var b strings.Builder
		_ = diag.Render(&b, found, file.Sources)
		t.Fatal(b.String())
	}
	return file
}

// build makes the services of a document that must be without mistakes.
func build(t *testing.T, document string, env Env) []Service {
	t.Helper()
	list, found := Build(load(t, document), env)
	if len(found) > 0 {
		t.Fatal(found[0])
	}
	return list
}

func TestStacAPIThenIngest(t *testing.T) {
	address := ports.Free(t)
	list := build(t, "services:\n- {module: stac-api, address: "+address+", items: 0}\n- monitoring\n- {module: stac-ingest, count: 30}", Env{})
	if len(list) != 2 || list[0].Name() != "stac-api" || list[1].Name() != "stac-ingest" {
		t.Fatalf("%v", list)
	}
	for _, s := range list {
		if err := s.Prepare(t.Context(), t.TempDir()); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// A second one on the same port is told what to do.
	second := build(t, "services: [{module: stac-api, address: "+address+"}]", Env{})[0]
	err := second.Prepare(t.Context(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "another program listens on "+address) || !strings.Contains(err.Error(), "-o services.0.address=") {
		t.Errorf("busy port: %v", err)
	}
	if err := second.PostProcess(t.Context(), 1, "x"); err != nil {
		t.Error(err)
	}
	if err := list[0].PostProcess(t.Context(), 0, ""); err != nil {
		t.Error(err)
	}
	if l, err := net.Listen("tcp", address); err != nil {
		t.Errorf("the port is still taken: %v", err)
	} else {
		l.Close()
	}
}

func TestIngestIntoNothingFails(t *testing.T) {
	s := build(t, "services: [{module: stac-ingest, api-address: 'http://"+ports.Dead(t)+"'}]", Env{})[0]
	if err := s.Prepare(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "is the API running there?") {
		t.Errorf("error %v", err)
	}
}

func TestTarget(t *testing.T) {
	for document, want := range map[string]string{
		"services: [{module: stac-api, address: '127.0.0.1:8093'}]":     "http://127.0.0.1:8093",
		"services: [{module: stac-api, address: 'http://[::1]:8093/'}]": "http://[::1]:8093",
		"services: [{module: stac-api, address: ':8093'}]":              "http://127.0.0.1:8093",
		"services: [{module: stac-api, address: '0.0.0.0:8093'}]":       "http://127.0.0.1:8093",
		"services: [stac-api]": "http://127.0.0.1:8090",
		"scenarios: {s: {default-address: 'http://there:1'}}\nservices: []": "http://there:1",
	} {
		if strings.HasPrefix(document, "scenarios") {
			file, _ := config.Load(t.Context(), []string{"f.yml"}, config.Options{FS: func(string) ([]byte, error) {
				return []byte(document + "\nexecution: [{scenario: s}]"), nil
			}})
			if got := Target(file); got != want {
				t.Errorf("%s: got %q", document, got)
			}
			continue
		}
		if got := Target(load(t, document)); got != want {
			t.Errorf("%s: got %q, want %q", document, got, want)
		}
	}
}

func TestMistakesHavePlaces(t *testing.T) {
	for document, want := range map[string]string{
		"services: [{module: stac-ingest, api-address: 'http://x', bulk: maybe}]": "bulk \"maybe\" of stac-ingest is neither true, false nor auto",
		"services: [{module: shellexec, prepare: 'true'}]":                        "shellexec would run commands, which --no-exec forbids",
	} {
		_, found := Build(load(t, document), Env{NoExec: true})
		if len(found) != 1 || found[0].Message != want || found[0].Hint == "" || found[0].Pos.Line != 1 || found[0].Pos.Column < 2 {
			t.Errorf("%s: %+v", document, found)
		}
	}
}

func TestShellExecStages(t *testing.T) {
	dir := t.TempDir()
	s := build(t, `
services:
- module: shellexec
  default-cwd: `+dir+`
  env: {WHO: all, MORE: "1"}
  prepare:
  - echo prepare $WHO $TAURUS_EXIT_CODE in $TAURUS_ARTIFACTS_DIR >>log
  - {command: 'echo own $WHO $MORE >>log', env: {WHO: one}}
  - {command: 'false', ignore-failure: true}
  - {command: 'pwd >here', cwd: artifacts-dir}
  - {command: 'echo never >>log', run-at: cloud}
  - {command: 'echo out; echo err >&2', out: o.txt, err: e.txt}
  - {command: 'echo up; trap "echo down; exit 0" TERM; while :; do sleep 0.01; done', background: true}
  startup: echo startup >>log
  check:
  - echo check >>log
  - {command: 'echo once >>log; sleep 3600', background: true}
  shutdown: echo shutdown $TAURUS_EXIT_CODE >>log
  post-process: echo post $TAURUS_EXIT_CODE $TAURUS_STOPPING_REASON >>log`, Env{})[0]
	artifacts := t.TempDir()
	for _, stage := range []func() error{
		func() error { return s.Prepare(t.Context(), artifacts) },
		func() error { return s.Startup(t.Context()) },
		func() error { return s.Check(t.Context()) },
		func() error { return s.Check(t.Context()) },
		func() error { return waitForText(t, filepath.Join(artifacts, "shellexec-prepare-6.out"), "up\n") },
		func() error { return s.Shutdown(t.Context()) },
		func() error { return s.PostProcess(t.Context(), 3, "fail>1%") },
	} {
		if err := stage(); err != nil {
			t.Fatal(err)
		}
	}
	want := "prepare all in " + artifacts + "\nown one 1\nstartup\ncheck\nonce\ncheck\nshutdown\npost 3 fail>1%\n"
	if diff := cmp.Diff(sortOnce(want), sortOnce(read(t, filepath.Join(dir, "log")))); diff != "" {
		t.Error(diff)
	}
	real, err := filepath.EvalSymlinks(artifacts)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		filepath.Join(artifacts, "here"): real + "\n", filepath.Join(dir, "o.txt"): "out\n", filepath.Join(dir, "e.txt"): "err\n",
		filepath.Join(artifacts, "shellexec-prepare-6.out"): "up\ndown\n",
	} {
		if got := read(t, name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}

// sortOnce takes the line of the background command out, whose place is not certain, and puts it last.
func sortOnce(s string) string { return strings.Replace(s, "once\n", "", 1) + "once\n" }

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

func waitForText(t *testing.T, name, want string) error {
	t.Helper()
	for range 12000 { // two minutes
		if text, err := os.ReadFile(name); err == nil && string(text) == want {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s does not hold %q", name, want)
	return nil
}

func TestShellExecFailures(t *testing.T) {
	for name, tt := range map[string]struct{ document, want string }{
		"code":      {"services: [{module: shellexec, prepare: 'exit 7'}]", `shellexec prepare "exit 7": exit status 7`},
		"no folder": {"services: [{module: shellexec, default-cwd: /no/such/folder, prepare: 'true'}]", "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			s := build(t, tt.document, Env{})[0]
			if err := s.Prepare(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestShellExecEndsWithItsContextAndItsChildren(t *testing.T) {
	dir := t.TempDir()
	s := build(t, "services: [{module: shellexec, default-cwd: "+dir+", prepare: 'sleep 300 & echo $! >child; wait'}]", Env{})[0]
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Prepare(ctx, dir) }()
	var pid int
	for range 12000 { // two minutes
		if text, err := os.ReadFile(filepath.Join(dir, "child")); err == nil && strings.HasSuffix(string(text), "\n") {
			for _, c := range strings.TrimSpace(string(text)) {
				pid = pid*10 + int(c-'0')
			}
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("no error")
	}
	for range 12000 { // two minutes
		if stat, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat")); err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("child %d lives on", pid)
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestUnpacker(t *testing.T) {
	dir := t.TempDir()
	archive := func(name string, files map[string]string) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := zip.NewWriter(f)
		for file, text := range files {
			out, err := w.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := out.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := archive("good.zip", map[string]string{"a.txt": "a", "deep/b.txt": "b", "folder/": ""})
	out := t.TempDir()
	if err := build(t, "services: [{module: unpacker, files: "+good+"}]", Env{})[0].Prepare(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(out, "a.txt")) + read(t, filepath.Join(out, "deep", "b.txt")); got != "ab" {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{"../out.txt", "/abs.txt", "a/../../out.txt"} {
		bad := archive("bad.zip", map[string]string{name: "x"})
		inner := filepath.Join(t.TempDir(), "inner")
		if err := os.Mkdir(inner, 0o755); err != nil {
			t.Fatal(err)
		}
		err := build(t, "services: [{module: unpacker, files: ["+bad+"]}]", Env{})[0].Prepare(t.Context(), inner)
		if _, stat := os.Stat(filepath.Join(inner, "..", "out.txt")); stat == nil {
			t.Errorf("%s got out of the folder, %v", name, err)
		}
	}
}
