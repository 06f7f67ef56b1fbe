package outlet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A panic in a queue's goroutine lets who holds the terminal give it back before the process ends.
func TestQueueThatPanics(t *testing.T) {
	const child = "STACRUN_TEST_PANIC"
	if os.Getenv(child) != "" {
		q := Start(Options{Name: "x", Dying: func() { fmt.Fprintln(os.Stderr, "given back") }}, func(context.Context, []int) error { panic("a mistake") })
		q.Put(1)
		<-q.done
		os.Exit(0)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), child+"=1")
	text, err := command.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("%v, want exit code 1", err)
	}
	if got := string(text); !strings.HasPrefix(got, "given back\npanic: a mistake") || !strings.Contains(got, t.Name()) {
		t.Errorf("told:\n%s", got)
	}
}
