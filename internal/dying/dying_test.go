package dying

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// What is deferred before the guard does not run: nobody takes the work of a goroutine that panics for done.
func TestGuard(t *testing.T) {
	const child = "STACRUN_TEST_PANIC"
	if os.Getenv(child) != "" {
		var all sync.WaitGroup
		all.Go(func() {
			defer fmt.Fprintln(os.Stderr, "counted out")
			defer Guard(func() { fmt.Fprintln(os.Stderr, "before") })
			panic(errors.New("a mistake"))
		})
		all.Wait()
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
	if !errors.As(err, &exit) || exit.ExitCode() != status {
		t.Errorf("%v, want exit code %d", err, status)
	}
	if got := string(text); !strings.HasPrefix(got, "before\npanic: a mistake") || !strings.Contains(got, t.Name()) || strings.Contains(got, "counted out") {
		t.Errorf("told:\n%s", got)
	}
}

func TestNothingHappensWithoutAPanic(t *testing.T) {
	func() {
		defer Guard(func() { t.Error("called") })
	}()
}
