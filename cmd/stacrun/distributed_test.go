package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stacrun/stacrun/cluster"
	"github.com/stacrun/stacrun/cluster/nats"
	"github.com/stacrun/stacrun/engine"
)

// TestAgentOfAnotherVersion joins a controller of a newer program: both say so, and the agent ends with exit code 1.
func TestAgentOfAnotherVersion(t *testing.T) {
	hub, err := nats.Listen(nats.Options{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	said := make(chan string, 10)
	controller := cluster.NewController(hub, cluster.Options{Agents: 1, Version: "9.9", LostAfter: time.Minute, Say: func(text string) { said <- text }})
	defer controller.Close()
	stdout, stderr := temporary(t), temporary(t)
	code := run([]string{"agent", "--join", hub.Join().String(), "--name", "old"}, &process{stdin: os.Stdin, stdout: stdout, stderr: stderr})
	text, err := os.ReadFile(stderr.Name())
	if err != nil {
		t.Fatal(err)
	}
	if want := "it is version dev and the controller is version 9.9: install the same on all machines"; code != 1 || !strings.Contains(string(text), want) {
		t.Errorf("exit code %d, want 1 and %q:\n%s", code, want, text)
	}
	if got := <-said; !strings.HasPrefix(got, "agent old (") || !strings.Contains(got, "is refused: it is version dev") {
		t.Errorf("the controller said %q", got)
	}
}

// TestPageAndControlOfADistributedRun looks at a run of two agents on its page, changes its load and stops it through the control port.
func TestPageAndControlOfADistributedRun(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer target.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "run.yml")
	document := "execution: [{concurrency: 4, hold-for: 10m, scenario: s}]\nscenarios: {s: {default-address: '" + target.URL + "', think-time: 5ms, requests: [/]}}\n"
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr := temporary(t), temporary(t)
	code := make(chan int, 1)
	go func() {
		code <- run([]string{
			file, "--agents", "2", "--listen", "127.0.0.1:0", "--agent-timeout", "1m", "--web=127.0.0.1:0", "--control", "127.0.0.1:0", "--artifacts", filepath.Join(dir, "out"),
		}, &process{stdin: os.Stdin, stdout: stdout, stderr: stderr})
	}()
	join := awaitText(t, stderr.Name(), `--join (nats://\S+)`)
	for i := range 2 {
		address, err := nats.ParseAddress(join)
		if err != nil {
			t.Fatal(err)
		}
		link, err := nats.Connect(t.Context(), address, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer link.Close()
		go func() {
			_, _ = cluster.Serve(context.Background(), link, cluster.AgentOptions{ // how it went is in the results
				Name: "agent-" + strconv.Itoa(i), Host: "here", Version: buildVersion(), Engine: engine.Options{Functions: stacFunctions(), Version: version},
			})
		}()
	}
	page := awaitText(t, stderr.Name(), `live page: (http://\S+)`)
	control := "http://" + awaitText(t, filepath.Join(dir, "out", "stacrun.log"), `control port" address=(\S+)`)
	get := func(url string) string {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	post := func(path, body string) {
		response, err := http.Post(control+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(response.Body) // empty if it cannot be read
			t.Errorf("%s: %s", path, text)
		}
	}
	until := func(what string, holds func() bool) {
		t.Helper()
		for range 2400 { // two minutes
			if holds() {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Errorf("%s never came: %s", what, get(control+"/status"))
	}
	users := func() int64 { return gjson.Get(get(control+"/status"), "executions.0.users").Int() }
	until("4 users", func() bool { return users() == 4 })
	until("the page", func() bool {
		state := get(page + "api/state")
		return gjson.Get(state, "executions.0.level").String() == "4" && strings.HasPrefix(gjson.Get(state, "executions.0.now").String(), "4 ")
	})
	post("/load", `{"concurrency": 7}`)
	until("7 users", func() bool { return users() == 7 })
	post("/stop", "")
	if got := <-code; got != 2 {
		text, _ := os.ReadFile(stderr.Name()) // empty if it cannot be read
		t.Errorf("exit code %d, want 2:\n%s", got, text)
	}
	summary, err := os.ReadFile(filepath.Join(dir, "out", "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"outcome": "interrupted", "agents.#": "2", "agents.0.state": "ended", "agents.1.state": "ended"} {
		if got := gjson.GetBytes(summary, path).String(); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if sum := gjson.GetBytes(summary, "requests.finished").Int() + gjson.GetBytes(summary, "requests.interrupted").Int(); sum != gjson.GetBytes(summary, "requests.started").Int() || sum == 0 {
		t.Errorf("%d requests ended, %s were started", sum, gjson.GetBytes(summary, "requests.started"))
	}
}

// awaitText waits until a file matches, and gives the first group.
func awaitText(t *testing.T, name, pattern string) string {
	t.Helper()
	compiled := regexp.MustCompile(pattern)
	for range 2400 { // two minutes
		text, _ := os.ReadFile(name) // it may not be there yet
		if m := compiled.FindSubmatch(text); m != nil {
			return string(m[1])
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s never matched %s", name, pattern)
	return ""
}
