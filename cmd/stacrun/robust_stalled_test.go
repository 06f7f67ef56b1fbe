//go:build unix

package main

import (
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"
)

// TestNobodyReadsStderr runs with a stderr that takes nothing, as a terminal does after Ctrl-S: the run is counted, judged and stopped all
// the same, and its reports say that it could not be watched.
func TestNobodyReadsStderr(t *testing.T) {
	t.Parallel()
	var count atomic.Int64
	target := httptest.NewServer(testHandler(&count))
	t.Cleanup(target.Close)
	document := "execution: [{concurrency: 2, hold-for: 9m, scenario: s}]\nscenarios: {s: {default-address: '" + target.URL + "', think-time: 5ms, requests: [/]}}\n" +
		"reporting: [{module: passfail, criteria: ['avg-rt>10s']}]\n"
	for name, args := range map[string][]string{"plain lines": nil, "log": {"--verbose"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, w := fullPipe(t)
			defer r.Close()
			dir := t.TempDir()
			file, out := filepath.Join(dir, "run.yml"), filepath.Join(dir, "out")
			if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
				t.Fatal(err)
			}
			program, err := exec.LookPath("stacrun") // where testscript put it
			if err != nil {
				t.Fatal(err)
			}
			command := exec.Command(program, append([]string{file, "--artifacts", out}, args...)...)
			command.Stderr = w
			err = command.Start()
			_ = w.Close() // the child has its own
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = command.Process.Kill() }()
			until(t, "two seconds in the log", func() bool {
				text, _ := os.ReadFile(filepath.Join(out, "intervals.log")) // it may not be there yet
				return len(text) > 2000
			})
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
				t.Errorf("it ended with %v, want exit code 2", err)
			}
			summary, err := os.ReadFile(filepath.Join(out, "summary.json"))
			if err != nil {
				t.Fatal(err)
			}
			if got := gjson.GetBytes(summary, "outcome").String(); got != "interrupted" {
				t.Errorf("the outcome is %s", got)
			}
			if !strings.Contains(string(summary), "the terminal takes no more output") {
				t.Errorf("the summary does not say that progress could not be shown:\n%s", summary)
			}
		})
	}
}

// fullPipe is a pipe that takes nothing more.
func fullPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(ends[0])
	syscall.CloseOnExec(ends[1])
	if err := syscall.SetNonblock(ends[1], true); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{4096, 1} {
		for {
			if _, err := syscall.Write(ends[1], make([]byte, size)); err != nil {
				break // it is full
			}
		}
	}
	if err := syscall.SetNonblock(ends[1], false); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(ends[0]), "read end"), os.NewFile(uintptr(ends[1]), "write end")
}
