package dying

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stacrun/stacrun/internal/child"
)

// What is deferred before the guard does not run: nobody takes the work of a goroutine that panics for done.
func TestGuard(t *testing.T) {
	if child.As() != "" {
		var all sync.WaitGroup
		all.Go(func() {
			defer fmt.Fprintln(os.Stderr, "counted out")
			defer Guard(func() { fmt.Fprintln(os.Stderr, "before") })
			panic(errors.New("a mistake"))
		})
		all.Wait()
		os.Exit(0)
	}
	text, code := child.Run(t, "dying")
	if code != status || !strings.HasPrefix(text, "before\npanic: a mistake") || !strings.Contains(text, t.Name()) || strings.Contains(text, "counted out") {
		t.Errorf("exit code %d, told:\n%s", code, text)
	}
}

func TestNothingHappensWithoutAPanic(t *testing.T) {
	func() {
		defer Guard(func() { t.Error("called") })
	}()
}
