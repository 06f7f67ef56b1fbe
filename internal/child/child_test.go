package child

import (
	"fmt"
	"os"
	"testing"
)

func TestRun(t *testing.T) {
	for as, code := range map[string]int{"one": 7, "other": 8} {
		t.Run(as, func(t *testing.T) {
			if As() == as {
				fmt.Println("I am", as)
				os.Exit(code)
			}
			if text, got := Run(t, as); text != "I am "+as+"\n" || got != code {
				t.Errorf("exit code %d, want %d; it wrote %q", got, code, text)
			}
		})
	}
	if As() != "" {
		t.Error("the process of the tests is nobody's child")
	}
}
