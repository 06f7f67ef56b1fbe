package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkValidate_longFile is all that validate does with a file of 5,000 lines: read, merge, check, compile; the goal is 100 ms.
func BenchmarkValidate_longFile(b *testing.B) {
	var text strings.Builder
	text.WriteString("execution:\n- {scenario: s, hold-for: 1s}\nscenarios:\n  s:\n    default-address: http://localhost\n    variables: {id: 1}\n    requests:\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "    - url: /items/%d?q=${id}\n      label: item %d\n      headers: {Accept: application/json}\n      assert: [x]\n      extract-jsonpath: {v%d: $.id}\n", i, i, i)
	}
	name := filepath.Join(b.TempDir(), "long.yml")
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	a := newApp(context.Background(), &process{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}, &cli{})
	b.ReportAllocs()
	for b.Loop() {
		if _, _, found := a.prepare([]string{name}); len(found) > 0 {
			b.Fatal(found)
		}
	}
}
