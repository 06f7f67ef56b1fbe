package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/diag"
)

// FuzzLoad sends any document through all stages: no panic, every error in a known place, and the
// effective document of a good file is good.
func FuzzLoad(f *testing.F) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.yml"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	opts := Options{
		FS:     func(string) ([]byte, error) { return nil, errors.New("no files") },
		Getenv: func(string) (string, bool) { return "", false },
	}
	f.Fuzz(func(t *testing.T, text string) {
		opts := opts
		opts.Documents = []Document{{Name: "fuzz.yml", Text: []byte(text)}}
		file, diags := Load(context.Background(), nil, opts)
		if file == nil || file.Document == nil {
			t.Fatal("no file")
		}
		if diags.HasErrors() {
			return
		}
		var b strings.Builder
		if err := Format(&b, file.Document, FormatOptions{}); err != nil {
			t.Fatal(err)
		}
		opts.Documents[0].Text = []byte(b.String())
		if again, diags := Load(context.Background(), nil, opts); diags.HasErrors() {
			var said strings.Builder
			_ = diag.Render(&said, diags, again.Sources)
			t.Errorf("effective document:\n%s\nof\n%s\nhas errors:\n%s", b.String(), text, said.String())
		}
	})
}
