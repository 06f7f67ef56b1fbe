package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMistakesAreToldInFull has stderr read only after a while, as by a pager: all of many mistakes are told.
func TestMistakesAreToldInFull(t *testing.T) {
	t.Parallel()
	const mistakes = 4000
	file := filepath.Join(t.TempDir(), "run.yml")
	document := "execution: [{concurrency: 1, iterations: 1, scenario: s}]\nscenarios:\n  s:\n    requests:\n" +
		strings.Repeat("    - {url: 'http://127.0.0.1:1/', metod: GET}\n", mistakes)
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	code := make(chan int, 1)
	go func() {
		code <- run([]string{"validate", file}, &process{stdin: os.Stdin, stdout: temporary(t), stderr: writer})
		_ = writer.Close() // all that was said is written
	}()
	// Longer than a run would wait for a terminal.
	select {
	case got := <-code:
		t.Fatalf("it ended with %d before anybody had read what it said", got)
	case <-time.After(4 * time.Second):
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(text), `unknown key "metod"`); got != mistakes {
		t.Errorf("%d mistakes were told, want %d", got, mistakes)
	}
	if got := <-code; got != 1 {
		t.Errorf("exit code %d, want 1", got)
	}
}
