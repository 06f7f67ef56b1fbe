package config

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stacrun/stacrun/diag"
)

// TestEffectiveDocumentMeansTheSame loads the effective document of every good file again: it has
// no errors, and its own effective document is itself.
func TestEffectiveDocumentMeansTheSame(t *testing.T) {
	for _, name := range goldenFiles(t, "lang_*.good.yml") {
		t.Run(name, func(t *testing.T) {
			file, _, _ := loadGolden(name)
			want := format(t, file.Document, FormatOptions{})
			dir := t.TempDir()
			rows, err := os.ReadFile(filepath.Join("testdata", "lang_rows.csv"))
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string][]byte{"lang_rows.csv": rows, "effective.yml": []byte(want)} {
				if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			again, diags := Load(context.Background(), []string{filepath.Join(dir, "effective.yml")}, Options{})
			if diags.HasErrors() {
				var b strings.Builder
				_ = diag.Render(&b, diags, again.Sources)
				t.Fatalf("errors in the effective document:\n%s", b.String())
			}
			if diff := cmp.Diff(want, format(t, again.Document, FormatOptions{})); diff != "" {
				t.Errorf("(-first +again):\n%s", diff)
			}
			if len(again.Criteria) != len(file.Criteria) || len(again.Executions) != len(file.Executions) {
				t.Errorf("%d criteria and %d executions, before %d and %d",
					len(again.Criteria), len(again.Executions), len(file.Criteria), len(file.Executions))
			}
		})
	}
}

// TestOneMistakeOneMessage holds the newcomer's mistakes to a single message each.
func TestOneMistakeOneMessage(t *testing.T) {
	for _, name := range goldenFiles(t, "schema_newcomer_*.bad.yml") {
		if _, diags, text := loadGolden(name); len(diags) != 1 {
			t.Errorf("%s: %d messages:\n%s", name, len(diags), text)
		}
	}
}
