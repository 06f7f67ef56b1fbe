package main

import (
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/tidwall/gjson"

	"github.com/stacrun/stacrun/internal/browser"
)

// program is this test under the name of the command, in a folder: agents are started under the name that the system knows, so that a
// symbolic link would not do.
func program(t *testing.T, dir string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "stacrun")
	if os.Link(self, name) == nil {
		return name
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestDistributedRunOnThePage watches a run of two agents on the page, changes its load and stops it there.
func TestDistributedRunOnThePage(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	var count atomic.Int64
	target := httptest.NewServer(testHandler(&count))
	t.Cleanup(target.Close)
	dir := t.TempDir()
	file := fmt.Sprintf("execution: {concurrency: 4, hold-for: 9m, scenario: s}\nscenarios: {s: {default-address: %q, requests: [{url: /delay/20, label: GET /search}]}}\n"+
		"settings: {preflight: false}\n", target.URL)
	if err := os.WriteFile(filepath.Join(dir, "run.yml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	out, err := os.Create(filepath.Join(dir, "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	command := exec.Command(program(t, dir), "run.yml", "--local-agents", "2", "--agent-timeout", "1m", "--web", address, "--artifacts", "out")
	command.Dir, command.Stdout, command.Stderr = dir, out, out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		if command.ProcessState == nil {
			_ = command.Process.Kill()
		}
	})
	for range 2400 { // two minutes
		text, _ := os.ReadFile(out.Name())
		if strings.Contains(string(text), "live page: ") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate("http://"+address+"/"))
	b.Until("both agents run", `document.querySelectorAll('#agents tr').length === 2 && [...document.querySelectorAll('#agents tr')].every((r) => r.cells[1].textContent === 'running' && r.cells[2].textContent === '50%')`)
	b.Until("four users, two of each", `document.querySelector('.load span').textContent.startsWith('4 users of 4') && [...document.querySelectorAll('#agents tr')].every((r) => r.cells[3].textContent === '2')`)
	b.Fill(".load input", "6")
	b.Text(`(document.querySelector('.load form').requestSubmit(), '')`)
	b.Until("six users, three of each", `document.querySelector('.load span').textContent.startsWith('6 users of 6') && [...document.querySelectorAll('#agents tr')].every((r) => r.cells[3].textContent === '3')`)
	b.Until("both have sent", `[...document.querySelectorAll('#agents tr')].every((r) => Number(r.cells[4].textContent.replace(',', '')) > 50)`)
	b.Pictures("distributed")
	b.Click("#stop")
	if err := <-ended; command.ProcessState.ExitCode() != 2 {
		text, _ := os.ReadFile(out.Name())
		t.Errorf("%v:\n%s", err, text)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	summary := gjson.ParseBytes(text)
	var agents int64
	for _, a := range summary.Get("agents.#.requests").Array() {
		agents += a.Int()
	}
	if total := summary.Get("requests.finished").Int(); agents != total || total == 0 || summary.Get("requests.exchanges").Int() != count.Load() {
		t.Errorf("agents finished %d of %d requests, the server saw %d", agents, total, count.Load())
	}
	b.Until("the page keeps what it saw last", `document.querySelector('#phase').textContent === 'interrupted' && document.querySelectorAll('#agents tr').length === 2`)
	shown := b.Text(`document.querySelector('.card b').textContent.replace(',', '')`)
	if shown != summary.Get("requests.finished").String() {
		t.Errorf("the page counts %s requests, the summary %s", shown, summary.Get("requests.finished"))
	}
}
