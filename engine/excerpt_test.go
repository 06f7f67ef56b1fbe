package engine

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stacrun/stacrun/config"
)

func TestExcerpt(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"one line", `{"detail": "no"}`, `status 500: {"detail": "no"}`},
		{"several lines and controls", "a\r\n\x1b[31mb\t\xffc", "status 500: a [31mb c"},
		{"nothing", " \n", "status 500"},
		{"long", strings.Repeat("é", 300), "status 500: " + strings.Repeat("é", 187) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := withExcerpt("status 500", []byte(tt.body))
			if got != tt.want || utf8.RuneCountInString(got) > failureText {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFailedStatusShowsItsBodyWhereItIsKept(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		fmt.Fprint(w, `{"detail": "out of order"}`)
	})
	snap := script(t, s, "    requests: [{url: /, extract-jsonpath: {id: {jsonpath: $.id, default: none}}}]\n")
	if e := snap.Errors(); len(e) != 1 || e[0].Text != `status 500: {"detail": "out of order"}` {
		t.Errorf("errors: %+v", e)
	}
}

func TestExtractionFromAVariable(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"links": [{"href": "/next?token=42&x=1"}], "inner": {"id": 7}}`)
	})
	snap := script(t, s, `
    requests:
    - url: /a
      extract-jsonpath: {href: '$.links[0].href', inner: $.inner, id: {jsonpath: $.id, from-variable: inner}}
      extract-regexp: {token: {regexp: 'token=(\d+)', scope: variable, from-variable: href}}
    - /use/${token}/${id}
`)
	wantSeen(t, s, "GET /a", "GET /use/42/7")
	if snap.Total().Failed != 0 {
		t.Errorf("failed: %+v", snap.Errors())
	}
	if got := mistakes(t, "execution: [{scenario: s}]\nscenarios: {s: {requests: [{url: 'http://h/', extract-regexp: {a: {regexp: x, from-variable: hreff}}, extract-jsonpath: {href: $.a}}]}}"); !strings.Contains(got, `did you mean "href"`) {
		t.Errorf("got %q, want an error that suggests href", got)
	}
}

func TestFilesAreReadBesideTheFileThatNamesThem(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"body.txt": "inside",
		"run.yml":  "execution: [{scenario: s}]\nscenarios: {s: {requests: [{url: 'http://h/', label: '${__FileToString(body.txt)}'}]}}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, list := config.Load(t.Context(), []string{filepath.Join(dir, "run.yml")}, config.Options{})
	plan, found := Compile(file, Options{})
	if list.Add(found...); list.HasErrors() {
		t.Fatal(list)
	}
	if got := plan.Labels()[1].Name; got != "inside" {
		t.Errorf("label %q, want the content of the file", got)
	}
}
