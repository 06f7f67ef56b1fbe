package engine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/engine/wire"
)

// faulty is a connection with a mistake of ours in it.
type faulty struct{}

func (faulty) Do(*wire.Request, *wire.Response) { panic("a mistake") }
func (faulty) Abort()                           {}
func (faulty) Close()                           {}

// TestTerminalIsGivenBackBeforeAPanic has users panic, in a process of its own: who holds the terminal hears of it first.
func TestTerminalIsGivenBackBeforeAPanic(t *testing.T) {
	const child = "STACRUN_TEST_PANIC"
	if document := os.Getenv(child); document != "" {
		e := New(compile(t, document), RunOptions{
			Connect: func(string) Connection { return faulty{} },
			Dying:   func() { fmt.Fprintln(os.Stderr, "the terminal is given back") },
		})
		out, err := e.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range out {
			continue
		}
		t.Fatal("nothing panicked")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, steps := range map[string]string{
		"user": "[/]", "branch": "[{parallel: [/, /]}]",
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.Command(self, "-test.run=^"+strings.Split(t.Name(), "/")[0]+"$")
			command.Env = append(os.Environ(), child+"=execution: [{concurrency: 1, iterations: 1, scenario: s}]\nscenarios: {s: {default-address: 'http://127.0.0.1:1', requests: "+steps+"}}\n")
			text, err := command.CombinedOutput()
			var exit *exec.ExitError
			given, panicked := strings.Index(string(text), "the terminal is given back"), strings.Index(string(text), "panic: a mistake")
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || given < 0 || panicked < given || !strings.Contains(string(text), "faulty.Do") {
				t.Errorf("%v:\n%s", err, text)
			}
		})
	}
}
