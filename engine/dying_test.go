package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/internal/child"
)

// faulty is a connection with a mistake of ours in it.
type faulty struct{}

func (faulty) Do(*wire.Request, *wire.Response) { panic("a mistake") }
func (faulty) Abort()                           {}
func (faulty) Close()                           {}

// TestTerminalIsGivenBackBeforeAPanic has users panic, in a process of its own: who holds the terminal hears of it first.
func TestTerminalIsGivenBackBeforeAPanic(t *testing.T) {
	if document := child.As(); document != "" {
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
	for name, steps := range map[string]string{
		"user": "[/]", "branch": "[{parallel: [/, /]}]",
	} {
		t.Run(name, func(t *testing.T) {
			text, code := child.Run(t, "execution: [{concurrency: 1, iterations: 1, scenario: s}]\nscenarios: {s: {default-address: 'http://127.0.0.1:1', requests: "+steps+"}}\n")
			given, panicked := strings.Index(text, "the terminal is given back"), strings.Index(text, "panic: a mistake")
			if code != 1 || given < 0 || panicked < given || !strings.Contains(text, "faulty.Do") {
				t.Errorf("exit code %d:\n%s", code, text)
			}
		})
	}
}
