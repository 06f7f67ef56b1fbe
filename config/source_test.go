package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormatSource(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"indentation", "execution:\n    - scenario:   s\n      hold-for: 5s\n", "execution:\n  - scenario: s\n    hold-for: 5s\n"},
		{"comments stay", "# top\n\nexecution: # why\n# above\n- scenario: s # beside\n  # before a key\n  hold-for: 5s\n\n# last\n",
			"# top\n\nexecution: # why\n  # above\n  - scenario: s # beside\n    # before a key\n    hold-for: 5s\n\n# last\n"},
		{"one empty line", "a: 1\n\n\n\nb: 2\n\n", "a: 1\n\nb: 2\n"},
		{"block texts are content", "a: |\n  x\n\n\n  # no comment\n  y\n\nb: 2\n", "a: |\n  x\n\n\n  # no comment\n  y\n\nb: 2\n"},
		{"spelling", "a: 010\nb: yes\nc: '5'\nd: \"x\"\ne: 2020-01-01\nf: ~\n", "a: 010\nb: yes\nc: '5'\nd: \"x\"\ne: 2020-01-01\nf: ~\n"},
		{"flow style", "a: {b: 1,   c: [1,2]}\n", "a: {b: 1, c: [1, 2]}\n"},
		{"anchors", "x-a: &a {b: 1}\nc:\n    <<: *a\n", "x-a: &a {b: 1}\nc:\n  <<: *a\n"},
		{"documents", "a: 1\n---\nb: 2\n", "a: 1\n---\nb: 2\n"},
		{"tabs", "a:\n\tb: 1\n", "a:\n  b: 1\n"},
		{"line ends", "a: 1\r\n\r\nb: 2\r\n", "a: 1\n\nb: 2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, diags := FormatSource("a.yml", []byte(tt.text))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, _ := FormatSource("a.yml", got)
			if diff := cmp.Diff(string(got), string(again)); diff != "" {
				t.Errorf("not at rest (-first +again):\n%s", diff)
			}
		})
	}
}

// TestFormatSource_everyFile lays out all scenario files that there are: each means the same, keeps
// its comments and stays as it is the second time.
func TestFormatSource_everyFile(t *testing.T) {
	for _, pattern := range []string{"testdata/*.good.yml", "../scenarios/*.yml"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out, diags := FormatSource(name, text)
			if diags.HasErrors() {
				t.Errorf("%v", diags)
				continue
			}
			if again, _ := FormatSource(name, out); string(again) != string(out) {
				t.Errorf("%s is not at rest:\n%s", name, cmp.Diff(string(out), string(again)))
			}
		}
	}
}

// FuzzFormatSource: what is laid out means the same, and stays as it is the second time.
func FuzzFormatSource(f *testing.F) {
	f.Add("a: 1 # x\n\n# y\nb: [1, {c: d}]\n")
	f.Add("a: |\n  x\n\n  y\n# z\n---\nb: 'it''s'\n")
	f.Add("- a\n- &x {b: 1:30}\n- *x\n")
	f.Add("\ta: \"x\n\n  y\"\n? b\n: c\n")
	f.Fuzz(func(t *testing.T, text string) {
		out, diags := FormatSource("f", []byte(text))
		if diags.HasErrors() {
			return
		}
		again, diags := FormatSource("f", out)
		if diags.HasErrors() {
			t.Fatalf("laid out, it cannot be read: %v\n%q\n%q", diags, text, out)
		}
		if string(again) != string(out) {
			t.Fatalf("not at rest:\n%q\n%q\n%q", text, out, again)
		}
	})
}
