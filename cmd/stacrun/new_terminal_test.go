package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewOnATerminal answers the questions of `stacrun new` at a keyboard: a wrong answer is asked for again, Enter takes what stands
// in brackets, and the file validates.
func TestNewOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x := openTerminal(t, 100, 30, dir)
	x.keys("./stacrun new", "Enter")
	x.until(`URL to load \[http://127\.0\.0\.1:8090/search\]: `)
	x.keys("ftp://nowhere/", "Enter")
	x.until(`is no address that can be loaded(.|\n)*URL to load \[.*\]: $|is no address that can be loaded(.|\n)*URL to load \[.*\]:\s*$`)
	x.keys("http://127.0.0.1:18290/items", "Enter")
	x.until(`virtual users \[10\]:`)
	x.keys("3", "Enter")
	x.until(`hold the load for \[30s\]:`)
	x.keys("Enter")
	x.until(`95th percentile is above \[500ms\]:`)
	x.keys("Enter")
	x.until(`file to write \[scenario\.yml\]:`)
	x.keys("mine.yml", "Enter")
	x.until(`wrote mine\.yml; next: stacrun debug mine\.yml`)
	text, err := os.ReadFile(filepath.Join(dir, "mine.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"concurrency: 3 ", "hold-for: 30s ", "http://127.0.0.1:18290", "/items", "p95>500ms"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file holds no %q:\n%s", want, text)
		}
	}
	x.keys("clear; ./stacrun validate mine.yml; echo code $?", "Enter")
	x.until(`nothing to complain about(.|\n)*code 0`)
}
