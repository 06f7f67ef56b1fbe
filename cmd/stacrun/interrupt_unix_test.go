//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Whoever interrupts while files are read is told so in one line, and the exit code says it, too. The data file is a pipe, which keeps the
// command reading for as long as it is to be.
func TestInterruptedWhileFilesAreRead(t *testing.T) {
	for _, tt := range []struct {
		verb   string
		signal syscall.Signal
		want   string
	}{
		{"run", syscall.SIGINT, "stacrun: interrupted by SIGINT\n"},
		{"run", syscall.SIGTERM, "stacrun: interrupted by SIGTERM\n"},
		{"run", syscall.SIGHUP, "stacrun: interrupted by SIGHUP\n"},
		{"debug", syscall.SIGINT, "stacrun: interrupted by SIGINT\n"},
		{"validate", syscall.SIGINT, "stacrun: interrupted by SIGINT\n"},
	} {
		t.Run(tt.verb+" "+tt.signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			file, rows := filepath.Join(dir, "run.yml"), filepath.Join(dir, "rows.csv")
			document := "execution: {scenario: s}\nscenarios: {s: {data-sources: [rows.csv], requests: ['http://127.0.0.1:1/${id}']}}\n"
			if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(rows, 0o600); err != nil {
				t.Skip("no pipes here: ", err)
			}
			output, err := os.Create(filepath.Join(dir, "output.txt"))
			if err != nil {
				t.Fatal(err)
			}
			defer output.Close()
			command := exec.Command(program(t, dir), tt.verb, file)
			command.Dir, command.Stdout, command.Stderr = dir, output, output
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { _ = command.Wait(); close(ended) }() // the code tells
			defer func() { _ = command.Process.Kill(); <-ended }()
			var pipe *os.File
			until(t, "the command reads its data", func() bool {
				pipe, err = os.OpenFile(rows, os.O_WRONLY|syscall.O_NONBLOCK, 0) // only where somebody reads
				return err == nil
			})
			defer pipe.Close()
			if _, err := pipe.WriteString("id\n1\n"); err != nil {
				t.Fatal(err)
			}
			if err := command.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			<-ended
			text, err := os.ReadFile(output.Name())
			if code := command.ProcessState.ExitCode(); code != 2 || string(text) != tt.want || err != nil {
				t.Errorf("exit code %d, want 2; %q, want %q; %v", code, text, tt.want, err)
			}
		})
	}
}

// Behind the load, the first Ctrl-C lets what has begun finish, as it says, and the second one ends it.
func TestInterruptedPostProcess(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	document := "execution: {concurrency: 1, iterations: 1, scenario: s}\nscenarios: {s: {requests: ['" + server.URL + "/']}}\n" + `
services:
- module: shellexec
  post-process:
  - echo >begun; while [ ! -e go-on ]; do sleep 0.05; done; echo >finished
  - echo >second; sleep 600; echo >too-late
`
	if err := os.WriteFile(at("run.yml"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := os.Create(at("output.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	command := exec.Command(program(t, dir), "run.yml", "--artifacts", "out")
	command.Dir, command.Stdout, command.Stderr = dir, output, output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }() // the code tells
	defer func() { _ = command.Process.Kill(); <-ended }()
	read := func() string {
		text, _ := os.ReadFile(output.Name())
		return string(text)
	}
	interrupt := func() {
		if err := command.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "post-processing begins", func() bool { return exists(at("begun")) })
	interrupt()
	until(t, "the first is told", func() bool {
		return strings.Contains(read(), "what has begun may finish; press Ctrl-C again to stop at once")
	})
	if err := os.WriteFile(at("go-on"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "the second command begins", func() bool { return exists(at("second")) })
	interrupt()
	<-ended
	if code := command.ProcessState.ExitCode(); code != 2 || !exists(at("finished")) || exists(at("too-late")) {
		t.Errorf("exit code %d, want 2; the first command finished: %v, the second: %v\n%s", code, exists(at("finished")), exists(at("too-late")), read())
	}
	if strings.Contains(read(), "error:") || !strings.Contains(read(), "interrupted by SIGINT") {
		t.Errorf("it says %q", read())
	}
}

// A study that is interrupted while it looks whether its addresses can be measured says so, and so does its exit code.
func TestInterruptedBeforeTheFirstRun(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	dir := t.TempDir()
	command := exec.Command(program(t, dir), "benchmark", "--api-address", server.URL, "--artifacts", "out")
	var output strings.Builder
	command.Dir, command.Stdout, command.Stderr = dir, &output, &output
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = command.Process.Kill() }()
	<-asked
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // the code tells
	if code := command.ProcessState.ExitCode(); code != 2 || !strings.Contains(output.String(), "stacrun: interrupted before the first run") || strings.Contains(output.String(), "context") {
		t.Errorf("exit code %d, want 2:\n%s", code, output.String())
	}
}
