package report

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestRewrite(t *testing.T) {
	write := func(text string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	name := filepath.Join(t.TempDir(), "x")
	if err := Rewrite(name, write("never")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Errorf("what was gone is there again: %v", err)
	}
	if err := WriteFile(name, write("first")); err != nil {
		t.Fatal(err)
	}
	if err := Rewrite(name, write("then")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "then" {
		t.Errorf("%q, %v", text, err)
	}
	if err := Rewrite(os.DevNull, func(io.Writer) error { t.Error("what is no file was written again"); return nil }); err != nil {
		t.Error(err)
	}
}
