package main

import (
	"bufio"
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
)

// TestNewFileIsRight loads and lays out what `stacrun new` writes, for addresses of all kinds: no
// warning, and nothing to lay out.
func TestNewFileIsRight(t *testing.T) {
	for _, address := range []string{
		"http://127.0.0.1:8090/search", "https://example.org", "example.org:8080/a/b?c=d&e=f", "http://[::1]:80/x", "http://h/it's?q=${x}", "http://h/#part",
	} {
		t.Run(address, func(t *testing.T) {
			b := beginning{users: 10, holdFor: "30s", p95: "500ms", fileName: "a.yml"}
			if err := b.setURL(address); err != nil {
				t.Fatal(err)
			}
			text := []byte(b.text())
			file, diags := config.Load(context.Background(), nil, config.Options{Documents: []config.Document{{Name: "a.yml", Text: text}}})
			if len(diags) > 0 {
				t.Errorf("%v", diags)
			}
			if len(file.Executions) != 1 || len(file.Scenarios) != 1 {
				t.Errorf("%d executions, %d scenarios", len(file.Executions), len(file.Scenarios))
			}
			out, diags := config.FormatSource("a.yml", text)
			if diags.HasErrors() || !bytes.Equal(out, text) {
				t.Errorf("laid out differently: %v\n%s", diags, cmp.Diff(string(text), string(out)))
			}
		})
	}
	for _, address := range []string{"ftp://h/", "http://", "http://user:secret@h/"} {
		if err := new(beginning).setURL(address); err == nil {
			t.Errorf("%s was taken", address)
		}
	}
}

// TestQuestions answers with nonsense first, then well, then with Enter.
func TestQuestions(t *testing.T) {
	var out bytes.Buffer
	q := questions{in: bufio.NewReader(strings.NewReader("ftp://x\nlocalhost:80/a\nmany\n5\n5 minutes\n1m\n\nnew-file.yml\n")), out: &out}
	b := beginning{users: 10, holdFor: "30s", p95: "500ms"}
	var address, name string
	if err := q.ask(&b, &address, &name); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if address != "localhost:80/a" || b.users != 5 || b.holdFor != "1m" || b.p95 != "500ms" || name != "new-file.yml" {
		t.Errorf("%s %+v %s", address, b, name)
	}
	q.in = bufio.NewReader(strings.NewReader(""))
	if err := q.ask(&b, &address, &name); err == nil {
		t.Error("the end of the input is no answer")
	}
}
