package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/config"
)

// A body-file whose name holds ${…} is found beside the file that names it, then in the working directory.
func TestBodyFileByTemplate(t *testing.T) {
	dir, here := t.TempDir(), t.TempDir()
	t.Chdir(here)
	for path, text := range map[string]string{
		filepath.Join(dir, "a.json"): "beside", filepath.Join(here, "a.json"): "hidden", filepath.Join(here, "b.json"): "here", filepath.Join(here, "c.txt"): "constant",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newSeen(t, nil)
	name := filepath.Join(dir, "run.yml")
	text := fmt.Sprintf(`
execution: [{scenario: s, iterations: 2}]
scenarios:
  s:
    default-address: %q
    variables: {a: a, b: b, x: gone}
    requests:
    - {url: /, method: POST, body-file: '${a}.json'}
    - {url: /, method: POST, body-file: '${b}.json'}
    - {url: /, method: POST, body-file: '${__P(c,c)}.txt'}
    - {url: /, label: missing, method: POST, body-file: '${x}.json'}
`, s.URL)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, list := config.Load(t.Context(), []string{name}, config.Options{})
	if list.HasErrors() {
		t.Fatal(describe(list))
	}
	plan, list := Compile(file, Options{})
	if len(list) > 0 {
		t.Fatal(describe(list))
	}
	snap := runPlan(t, plan, RunOptions{})
	want := []string{"POST / [beside]", "POST / [here]", "POST / [constant]"}
	wantSeen(t, s, append(want, want...)...)
	if e := snap.Errors(); snap.Total().Failed != 2 || len(e) != 1 || e[0].Label != "missing" || !strings.Contains(e[0].Text, "gone.json") {
		t.Errorf("failed %d: %+v", snap.Total().Failed, e)
	}
}

// One mistake in the name of a file is told once.
func TestBodyFileByTemplate_mistakes(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"${file}", `unknown variable "file"`},
		{"x/${file}.json", `unknown variable "file"`},
		{"${__P(f,nowhere)}.json", `read "nowhere.json": no such file or directory`},
	} {
		_, list := Compile(loadFile(t, "execution: [{scenario: s}]\nscenarios: {s: {requests: [{url: 'http://localhost/', method: POST, body-file: '"+tt.name+"'}]}}\n"), Options{})
		if len(list) != 1 || list[0].Message != tt.want || list[0].Pos.Column < 70 {
			t.Errorf("%s: got %s, want %s", tt.name, describe(list), tt.want)
		}
	}
}
