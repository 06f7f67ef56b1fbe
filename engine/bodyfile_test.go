package engine

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
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
	snap := runFile(t, name, text)
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

func TestUploadByTemplate(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.json": "first", "b.png": "second", "fixed.html": "fixed", "q\"x.unknownending": "quoted"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPut {
			text, err := io.ReadAll(r.Body)
			got = append(got, fmt.Sprintf("PUT %s %s %v", r.Header.Get("Content-Type"), text, err))
			return
		}
		parts, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		var all []string
		for {
			part, err := parts.NextPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Error(err)
				break
			}
			text, _ := io.ReadAll(part)
			all = append(all, strings.TrimSpace(fmt.Sprint(part.FormName(), " ", part.FileName(), " ", part.Header.Get("Content-Type"), " ", string(text))))
		}
		got = append(got, strings.Join(all, "; "))
	}))
	t.Cleanup(server.Close)
	name := filepath.Join(dir, "run.yml")
	text := fmt.Sprintf(`
execution: [{scenario: s, iterations: 1}]
scenarios:
  s:
    default-address: %q
    variables: {v: value, f: a.json, x: gone, q: 'q"x.unknownending'}
    requests:
    - {url: /, method: POST, body: {form: '${v}'}, upload-files: [{param: one, path: '${f}'}, {param: two, path: fixed.html}, {param: p, path: '${f}', mime-type: x/y}]}
    - set-variables: {f: b.png}
    - {url: /, method: POST, body: {form: '${v}'}, upload-files: [{param: one, path: '${f}'}, {param: two, path: fixed.html}, {param: p, path: '${f}', mime-type: x/y}]}
    - {url: /, method: POST, upload-files: [{param: a, path: '${__P(k,fixed)}.html'}]}
    - {url: /, method: POST, upload-files: [{param: a, path: '${q}'}]}
    - {url: /, method: PUT, upload-files: [{path: '${f}'}]}
    - {url: /, method: POST, label: missing, upload-files: [{param: a, path: '${x}'}]}
`, server.URL)
	snap := runFile(t, name, text)
	want := []string{
		"form   value; one a.json application/json first; two fixed.html text/html; charset=utf-8 fixed; p a.json x/y first",
		"form   value; one b.png image/png second; two fixed.html text/html; charset=utf-8 fixed; p b.png x/y second",
		"a fixed.html text/html; charset=utf-8 fixed",
		"a q%22x.unknownending application/octet-stream quoted",
		"PUT application/octet-stream second <nil>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e := snap.Errors(); snap.Total().Failed != 1 || len(e) != 1 || e[0].Label != "missing" || !strings.Contains(e[0].Text, "gone") {
		t.Errorf("failed %d: %+v", snap.Total().Failed, e)
	}
}

// runFile writes a scenario file, beside which others may lie, and runs it.
func runFile(t *testing.T, name, text string) *metrics.Snapshot {
	t.Helper()
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
	return runPlan(t, plan, RunOptions{})
}
