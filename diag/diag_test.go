package diag

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRender(t *testing.T) {
	sources := Sources{"a.yml": []byte("execution:\n\t- hold_for: 2m\r\nx: ééé: 1\n")}
	var list List
	list.Errorf("unknown-key", Pos{"a.yml", 2, 4}, "execution.0.hold_for", "unknown key %q in execution", "hold_for").
		WithHint("did you mean %q?", "hold-for")
	list.Warnf("odd", Pos{"a.yml", 3, 4}, "x", "odd value").WithNote(Pos{"b.yml", 1, 1}, "it hides this one")
	list.Errorf("lost", Pos{}, "", "no place known")
	list.Sort()
	var b strings.Builder
	if err := Render(&b, list, sources); err != nil {
		t.Fatal(err)
	}
	want := `no place known
a.yml:2:4: unknown key "hold_for" in execution
    2 | ` + "\t- hold_for: 2m" + `
      | ` + "\t  ^^^^^^^^" + `
  hint: did you mean "hold-for"?
a.yml:3:4: warning: odd value
    3 | x: ééé: 1
      |    ^^^
  note: b.yml:1:1: it hides this one
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("render (-want +got):\n%s", diff)
	}
}

func TestRenderLongLineShowsTheCaret(t *testing.T) {
	line := strings.Repeat("a", 300) + "BAD" + strings.Repeat("z", 300)
	var list List
	list.Errorf("x", Pos{"f", 1, 301}, "", "here")
	list[0].Length = 3
	var b strings.Builder
	_ = Render(&b, list, Sources{"f": []byte(line)})
	lines := strings.Split(b.String(), "\n")
	at := strings.Index(lines[2], "^^^")
	if at < 0 || string([]rune(lines[1])[at:at+3]) != "BAD" {
		t.Errorf("caret not under the mistake:\n%s", b.String())
	}
}

func TestSortFileOrderAndRepeats(t *testing.T) {
	var list List
	list.Errorf("b", Pos{"z.yml", 9, 1}, "", "third")
	list.Errorf("a", Pos{"z.yml", 2, 5}, "", "second")
	list.Errorf("a", Pos{"a.yml", 1, 1}, "", "other file")
	list.Errorf("a", Pos{"z.yml", 2, 1}, "", "first")
	list.Errorf("a", Pos{"z.yml", 2, 1}, "", "first")
	list.Sort()
	var got []string
	for _, d := range list {
		got = append(got, d.Message)
	}
	if diff := cmp.Diff([]string{"first", "second", "third", "other file"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSuggest(t *testing.T) {
	keys := []string{"concurrency", "hold-for", "ramp-up", "iterations", "if", "url"}
	for name, want := range map[string]string{
		"hold_for": "hold-for", "holdfor": "hold-for", "rampup": "ramp-up", "iteration": "iterations",
		"cnocurrency": "concurrency", "URL": "url", "zebra": "", "": "", "uri": "url",
	} {
		if got := Suggest(name, keys); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	var list List
	list.Errorf("unknown-key", Pos{"a.yml", 2, 4}, "x.y", "m").WithHint("h")
	got, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"severity":"error","code":"unknown-key","file":"a.yml","line":2,"column":4,"path":"x.y","message":"m","hint":"h"}]`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if empty, _ := json.Marshal(List(nil)); string(empty) != "[]" {
		t.Errorf("empty list: %s", empty)
	}
}
