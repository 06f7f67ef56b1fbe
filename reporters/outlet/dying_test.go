package outlet

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/internal/child"
)

// A panic in a queue's goroutine lets who holds the terminal give it back before the process ends.
func TestQueueThatPanics(t *testing.T) {
	if child.As() != "" {
		q := Start(Options{Name: "x", Dying: func() { fmt.Fprintln(os.Stderr, "given back") }}, func(context.Context, []int) error { panic("a mistake") })
		q.Put(1)
		<-q.done
		os.Exit(0)
	}
	text, code := child.Run(t, "queue")
	if code != 1 || !strings.HasPrefix(text, "given back\npanic: a mistake") || !strings.Contains(text, t.Name()) {
		t.Errorf("exit code %d, told:\n%s", code, text)
	}
}
