package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestGood loads every *.good.yml: no errors, the warnings and the effective document as recorded.
func TestGood(t *testing.T) {
	for _, name := range goldenFiles(t, "*.good.yml") {
		t.Run(name, func(t *testing.T) {
			file, diags, text := loadGolden(name)
			if diags.HasErrors() {
				t.Errorf("errors:\n%s", text)
			}
			effective := format(t, file.Document, FormatOptions{Origins: false})
			if text != "" {
				effective = "# " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n# ") + "\n" + effective
			}
			golden(t, filepath.Join("testdata", strings.TrimSuffix(name, ".yml")+".effective"), effective)
		})
	}
}
