package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/stacrun/stacrun/internal/browser"
	"github.com/stacrun/stacrun/web"
)

// startPage serves the page of a file as `stacrun ui` does.
func startPage(t *testing.T, document string) (*web.Server, *starter) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "search.yml")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nowhere.Close() })
	a := &app{process: &process{nowhere, nowhere, nowhere}, cli: &cli{Artifacts: filepath.Join(dir, "runs")}, ctx: t.Context()}
	s := &starter{app: a, keptRuns: keptRuns{root: filepath.Join(dir, "runs")}, files: []string{file}, nowhere: nowhere, ended: make(chan struct{}, 1)}
	server, err := web.Listen("127.0.0.1:0", web.Options{Runner: s, Name: "search.yml", Version: "test", Start: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server, s
}

// TestPageInBrowser starts runs on the page, changes their load, stops them, and fetches what they left.
func TestPageInBrowser(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	var count atomic.Int64
	target := httptest.NewServer(testHandler(&count))
	t.Cleanup(target.Close)
	server, _ := startPage(t, `
execution:
- {concurrency: 2, hold-for: 10m, scenario: search}
scenarios:
  search:
    default-address: http://127.0.0.1:1
    requests:
    - {url: /delay/20, label: GET /search}
    - {url: /json, label: GET /collections}
    - {url: /status/404, label: GET /missing}
reporting:
- module: passfail
  criteria: ['p95 of GET /search>2s for 10s', 'fail>90%']
`)
	b.Scheme("light", "")
	b.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(server.URL()))
	b.Until("the settings are there", `document.querySelector('#groups input')`)
	if got := b.Text(`document.querySelector('[name="execution.0.concurrency"]').value`); got != "2" {
		t.Errorf("concurrency of the file is shown as %q", got)
	}
	b.Pictures("start")

	// A mistake is told beside its field, and nothing begins.
	b.Fill(`[name="execution.0.hold-for"]`, "soon")
	b.Click("#go")
	b.Until("the mistake is told", `document.querySelector('#mistakes li') && document.querySelector('[name="execution.0.hold-for"].wrong')`)
	if got := b.Text(`document.querySelector('#phase').textContent`); got != "idle" {
		t.Errorf("phase %q", got)
	}
	b.Picture("mistake.png")

	// Settings of one's own.
	b.Fill(`[name="execution.0.hold-for"]`, "8m")
	b.Fill(`[name="execution.0.concurrency"]`, "3")
	b.Fill(`[name="scenarios.search.default-address"]`, target.URL)
	b.Click("#go")
	b.Until("the run goes on", `document.querySelector('#phase').textContent === 'running'`)
	points := `(document.querySelector('#chart-traffic [data-line="done"]') || {getAttribute: () => ''}).getAttribute('d').length`
	b.Until("the chart has points", points+" > 10")
	before := b.Text("String(" + points + ")")
	b.Until("the chart grows", points+" > "+before)
	if got := b.Text(`document.querySelector('.load span').textContent`); !strings.HasPrefix(got, "3 users of 3") {
		t.Errorf("load %q", got)
	}
	if got := b.Text(`document.querySelector('#about').textContent`); !strings.Contains(got, "of 08:00") {
		t.Errorf("about %q", got)
	}

	// The load is changed, by keyboard as much as by mouse: the form is submitted.
	b.Fill(".load input", "5")
	b.Text(`(document.querySelector('.load form').requestSubmit(), '')`)
	b.Until("five users", `document.querySelector('.load span').textContent.startsWith('5 users')`)
	b.Until("the change is an event", `[...document.querySelectorAll('#events li')].some((e) => e.textContent.includes('5 users'))`)
	b.Click("#pause")
	b.Until("it is paused", `document.querySelector('#phase').textContent === 'paused'`)
	b.Click("#pause")
	b.Until("it goes on", `document.querySelector('#phase').textContent === 'running'`)
	b.Text(`(() => { const s = document.querySelector('#chart-traffic'), r = s.getBoundingClientRect();
		s.dispatchEvent(new PointerEvent('pointermove', {clientX: r.left + r.width / 4, clientY: r.top + 50, bubbles: true})); return '' })()`)
	if got := b.Text(`document.querySelector('#at').textContent`); !strings.HasPrefix(got, "at 00:0") {
		t.Errorf("under the pointer: %q", got)
	}
	b.Pictures("run")
	if b.Text(`String(document.documentElement.scrollWidth <= innerWidth)`) != "true" {
		t.Error("the page is wider than the window")
	}

	// A second viewer sees the same.
	second := fetch(t, server.URL()+"api/state")
	if !strings.Contains(second, `"phase":"running"`) {
		t.Errorf("second viewer: %.200s", second)
	}
	b.Click("#tab-log")
	b.Until("the log", `document.querySelector('#log').textContent.includes('load started')`)
	b.Click("#tab-run")

	b.Click("#stop")
	b.Until("it has ended", `document.querySelector('#phase').textContent === 'interrupted'`)
	b.Until("there is something to fetch", `document.querySelector('#downloads a')`)
	b.Pictures("ended")
	report := b.Text(`document.querySelector('#downloads a').href`)
	if page := fetch(t, report); !strings.Contains(page, `id="verdict"`) {
		t.Errorf("the report: %.200s", page)
	}
	for _, name := range []string{"totals.csv", "timeline.csv", "junit.xml", "report.md", "summary.json"} {
		if text := fetch(t, strings.Replace(report, "report.html", name, 1)); !strings.Contains(text, "GET /search") {
			t.Errorf("%s: %.200s", name, text)
		}
	}

	// Another run, and the two beside one another.
	b.Click("#tab-start")
	b.Fill(`[name="execution.0.hold-for"]`, "")
	b.Fill(`[name="execution.0.iterations"]`, "5")
	b.Click("#go")
	b.Until("the second run passes", `document.querySelector('#phase').textContent === 'passed'`)
	b.Click("#tab-runs")
	b.Until("both are listed", `document.querySelectorAll('#runs tr').length === 2`)
	b.Text(`(document.querySelectorAll('#runs input').forEach((e) => e.click()), '')`)
	b.Pictures("history")
	compared := b.Text(`document.querySelector('#compare').href`)
	if page := fetch(t, compared); !strings.Contains(page, `id="compare"`) {
		t.Errorf("the comparison: %.200s", page)
	}
	b.Do(chromedp.Navigate(compared))
	b.Until("the comparison opens", `document.querySelector('#compare td')`)
	b.Picture("compared.png")

	for _, problem := range b.Problems() {
		if !strings.Contains(problem, "422") { // the mistake above
			t.Errorf("the browser complains: %s", problem)
		}
	}
}

func fetch(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Errorf("%s: %s: %.300s", address, response.Status, text)
	}
	return string(text)
}
