package config

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// longFile is a valid file of about 5,000 lines.
func longFile() string {
	var b strings.Builder
	b.WriteString("execution: [{scenario: s, hold-for: 1s}]\nscenarios:\n  s:\n    requests:\n")
	for i := range 1250 {
		fmt.Fprintf(&b, "    - url: http://localhost/%d\n      label: l%d\n      headers: {A: b}\n      assert: [x]\n", i, i)
	}
	return b.String()
}

// BenchmarkLoad_longFile is the whole way of a long file, as validate goes it; the goal is 100 ms.
func BenchmarkLoad_longFile(b *testing.B) {
	files := shelf{"a.yml": longFile()}
	b.ReportAllocs()
	for b.Loop() {
		if _, diags := Load(context.Background(), []string{"a.yml"}, Options{FS: files.read}); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}

// BenchmarkLoad_assemble is the part before the schema.
func BenchmarkLoad_assemble(b *testing.B) {
	files := shelf{"a.yml": longFile()}
	b.ReportAllocs()
	for b.Loop() {
		newLoader(context.Background(), Options{FS: files.read}).assemble([]string{"a.yml"})
	}
}
