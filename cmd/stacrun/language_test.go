package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
)

// languageCase is a document of testdata/language with what it says must come of it; README.md there explains the lines.
type languageCase struct {
	with, args   []string
	says         []string // severity line code text
	sends, shows []string
	serves       map[string][2]string // path → status, body
	exit         int
}

func readLanguageCase(t *testing.T, text string) languageCase {
	t.Helper()
	c := languageCase{serves: map[string][2]string{}}
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "#: ")
		if !ok {
			continue
		}
		word, rest, _ := strings.Cut(rest, " ")
		switch word {
		case "with":
			c.with = append(c.with, rest)
		case "args":
			for _, arg := range strings.Fields(rest) {
				c.args = append(c.args, arg)
			}
		case "error", "warning":
			c.says = append(c.says, word+" "+rest)
		case "sends":
			c.sends = append(c.sends, strings.ReplaceAll(rest, `\n`, "\n"))
		case "shows":
			c.shows = append(c.shows, rest)
		case "serves":
			path, rest, _ := strings.Cut(rest, " ")
			status, body, _ := strings.Cut(rest, " ")
			c.serves[path] = [2]string{status, body}
		case "exit":
			c.exit, _ = strconv.Atoi(rest)
		default:
			t.Fatalf("what is %q?", line)
		}
	}
	return c
}

// TestLanguage holds each document of testdata/language to what it says of itself.
func TestLanguage(t *testing.T) {
	names, err := filepath.Glob("testdata/language/*.yml")
	if err != nil || len(names) < 40 {
		t.Fatal(len(names), err)
	}
	for i := range names {
		names[i], _ = filepath.Abs(names[i])
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".part.yml") {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yml"), func(t *testing.T) { checkLanguage(t, name) })
	}
}

func checkLanguage(t *testing.T, name string) {
	written, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c := readLanguageCase(t, string(written))
	server := newRecorder(t, c.serves)
	host := strings.TrimPrefix(server.URL, "http://")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Dir(name))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	base := filepath.Base(name)
	onlyHost, _, _ := strings.Cut(host, ":")
	text := strings.NewReplacer("BASEHOST", onlyHost, "BASE", host).Replace(string(written))
	if err := os.WriteFile(base, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	files := append([]string{base}, c.with...)

	var options []string
	for i, arg := range c.args {
		if i > 0 && c.args[i-1] == "-o" {
			options = append(options, arg)
		}
	}
	a := newApp(context.Background(), &process{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}, &cli{Options: options})
	_, _, found := a.prepare(files)
	if len(found) != len(c.says) {
		t.Errorf("validate says %d things, %d are expected:\n%s", len(found), len(c.says), listed(found))
	}
	for i := range min(len(found), len(c.says)) {
		words := strings.SplitN(c.says[i]+"   ", " ", 4)
		d := &found[i]
		if d.Severity.String() != words[0] || strconv.Itoa(d.Pos.Line) != words[1] || d.Code != words[2] || !strings.Contains(d.Message+" "+d.Hint, strings.TrimSpace(words[3])) {
			t.Errorf("validate says %s, expected is %s", listed(found[i:i+1]), c.says[i])
		}
	}
	if len(c.shows) > 0 {
		out := c.command(t, "show", files)
		for _, want := range c.shows {
			if !strings.Contains(out, want+"\n") {
				t.Errorf("show does not print %q:\n%s", want, out)
			}
		}
	}
	if c.sends == nil {
		return
	}
	c.run(t, files)
	if diff := cmp.Diff(c.sends, server.seen()); diff != "" {
		t.Errorf("what was sent (-want +got):\n%s", diff)
	}
}

func listed(found diag.List) string {
	text := ""
	for _, d := range found {
		text += fmt.Sprintf("%s %d %s %s (%s)\n", d.Severity, d.Pos.Line, d.Code, d.Message, d.Hint)
	}
	return text
}

// command runs a verb and gives what it prints.
func (c *languageCase) command(t *testing.T, verb string, files []string) string {
	t.Helper()
	stdout, stderr := temporary(t), temporary(t)
	code := run(append(append([]string{verb}, files...), c.args...), &process{stdin: os.Stdin, stdout: stdout, stderr: stderr})
	text, err := os.ReadFile(stdout.Name())
	if err != nil {
		t.Fatal(err)
	}
	if code != 0 {
		t.Errorf("%s: exit code %d", verb, code)
	}
	return string(text)
}

func (c *languageCase) run(t *testing.T, files []string) {
	t.Helper()
	stdout, stderr := temporary(t), temporary(t)
	args := append(append([]string{"run", "--artifacts", "out", "--quiet"}, files...), c.args...)
	if code := run(args, &process{stdin: os.Stdin, stdout: stdout, stderr: stderr}); code != c.exit {
		said, _ := os.ReadFile(stderr.Name())
		told, _ := os.ReadFile(stdout.Name())
		t.Errorf("exit code %d, want %d\n%s%s", code, c.exit, said, told)
	}
}

// recorder is a server that notes what it is asked.
type recorder struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newRecorder(t *testing.T, serves map[string][2]string) *recorder {
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		line := q.Method + " " + q.RequestURI
		if len(body) > 0 {
			line += " [" + string(body) + "]"
		}
		r.mu.Lock()
		r.got = append(r.got, line)
		r.mu.Unlock()
		answer, known := serves[q.URL.Path]
		if !known {
			answer = [2]string{"200", "ok"}
		}
		status, _ := strconv.Atoi(answer[0])
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer[1])
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got
}
