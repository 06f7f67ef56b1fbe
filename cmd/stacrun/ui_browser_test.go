package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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
	a := newApp(t.Context(), &process{nowhere, nowhere, nowhere}, &cli{Artifacts: filepath.Join(dir, "runs")})
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
	between := relayTo(t, strings.TrimSuffix(strings.TrimPrefix(server.URL(), "http://"), "/"))
	b.Scheme("light", "")
	b.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate("http://"+between.address()+"/"))
	b.Until("the settings are there", `document.querySelector('#groups input')`)
	if got := b.Text(`document.querySelector('[name="execution.0.concurrency"]').value`); got != "2" {
		t.Errorf("concurrency of the file is shown as %q", got)
	}
	b.Pictures("start")

	// A mistake is told beside its field, and nothing begins.
	b.Fill(`[name="execution.0.hold-for"]`, "soon")
	b.Click("#go")
	b.Until("the mistake is told", `document.querySelector('#mistakes li') && document.querySelector('[name="execution.0.hold-for"].wrong')`)
	b.Until("it is idle", `document.querySelector('#phase').textContent === 'idle'`)
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

	// A second viewer sees the same, and what it does is seen by the first.
	second := b.Tab()
	second.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(server.URL()))
	second.Until("the second viewer sees the run", `document.querySelector('#phase').textContent === 'running' && document.querySelector('.load span').textContent.startsWith('5 users')`)
	second.Fill(".load input", "4")
	second.Text(`(document.querySelector('.load form').requestSubmit(), '')`)
	b.Until("four users", `document.querySelector('.load span').textContent.startsWith('4 users')`)

	// The connection breaks and comes back, and so does the stream.
	between.cut(true)
	b.Until("the loss is told", `document.querySelector('#link').classList.contains('lost')`)
	between.cut(false)
	lost := b.Text("String(" + points + ")")
	b.Until("the stream is back", `!document.querySelector('#link').classList.contains('lost') && `+points+" > "+lost)
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

	// The report is saved, and opens without a network.
	folder := t.TempDir()
	b.SaveTo(folder)
	b.Text(`(() => { const a = document.createElement('a'); a.href = document.querySelector('#downloads a').href + '?save=1'; document.body.append(a); a.click(); return '' })()`)
	saved := ""
	for range 2400 { // two minutes
		if names, _ := filepath.Glob(filepath.Join(folder, "*.html")); len(names) == 1 {
			saved = names[0]
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	offline := b.Tab()
	offline.Offline()
	var colours []string
	for _, scheme := range []string{"light", "dark"} {
		offline.Scheme(scheme, "")
		offline.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+saved))
		offline.Until("the report opens "+scheme, `document.querySelector('#verdict') && document.querySelector('svg.chart')`)
		colours = append(colours, offline.Text(`getComputedStyle(document.body).backgroundColor`))
		offline.Picture("report-" + scheme + ".png")
	}
	if colours[0] == colours[1] {
		t.Errorf("light and dark are both %s", colours[0])
	}
	for _, address := range offline.Requests() {
		if !strings.HasPrefix(address, "file://") && !strings.HasPrefix(address, "data:") && address != "about:blank" {
			t.Errorf("the report asks for %s", address)
		}
	}
	for _, problem := range offline.Problems() {
		t.Errorf("the browser complains of the report: %s", problem)
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
		if !strings.Contains(problem, "422") && !strings.Contains(problem, "ERR_") { // the mistake, and the lost connection above
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

// relay stands between a browser and a page, and can cut the line.
type relay struct {
	listener net.Listener

	mu    sync.Mutex // guards what follows
	off   bool
	lines map[net.Conn]bool
}

func relayTo(t *testing.T, target string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: listener, lines: map[net.Conn]bool{}}
	var copying sync.WaitGroup
	copying.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", target)
			if err != nil || !r.take(from, to) {
				from.Close()
				continue
			}
			copying.Go(func() { _, _ = io.Copy(to, from); to.Close() })
			copying.Go(func() { _, _ = io.Copy(from, to); from.Close() })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		r.cut(true)
		copying.Wait()
	})
	return r
}

func (r *relay) address() string { return r.listener.Addr().String() }

// take keeps the ends of a line, or closes them when lines are cut.
func (r *relay) take(ends ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range ends {
		if r.off {
			end.Close()
			continue
		}
		r.lines[end] = true
	}
	return !r.off
}

// cut closes all lines, and refuses further ones until it is taken back.
func (r *relay) cut(off bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.off = off
	for line := range r.lines {
		if off {
			line.Close()
			delete(r.lines, line)
		}
	}
}
