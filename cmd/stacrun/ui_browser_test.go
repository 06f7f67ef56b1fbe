package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/stacrun/stacrun/web"
)

// browser is a page in Debian's Chromium.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // errors of scripts and of the policy
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	name, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("STACRUN_REQUIRE_TOOLS") == "1" {
			t.Fatal("chromium is missing, and STACRUN_REQUIRE_TOOLS=1 asks for it: apt-get install chromium")
		}
		t.Skip("needs chromium: apt-get install chromium")
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(name), chromedp.Headless, chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
	}
	for _, flag := range []string{
		"disable-gpu", "disable-quic", "no-first-run", "disable-background-networking", "disable-component-update", "disable-sync", "hide-scrollbars",
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	b.do(chromedp.Navigate("about:blank")) // starts it; only later contexts may have an end
	b.ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	b.call(func(ctx context.Context) error { return chromedp.Listen(ctx, b.listen) })
	b.call(func(ctx context.Context) error { _, err := chromedp.Call(ctx, cdplog.Enable, struct{}{}); return err })
	return b
}

func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Text)
	case *cdplog.EventEntryAdded:
		b.problems = append(b.problems, e.Entry.Text)
	}
}

func (b *browser) call(f func(context.Context) error) {
	b.t.Helper()
	if err := f(b.ctx); err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// text evaluates an expression that gives a string.
func (b *browser) text(expression string) string {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// until waits for an expression to be true.
func (b *browser) until(what, expression string) {
	b.t.Helper()
	for b.text("String(Boolean("+expression+"))") != "true" {
		select {
		case <-b.ctx.Done():
			b.t.Fatalf("never: %s", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// click clicks by an event, as a real click waits for the page to stand still.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.text(fmt.Sprintf("(document.querySelector(%q).click(), '')", selector))
}

// fill types a value into a field.
func (b *browser) fill(selector, value string) {
	b.t.Helper()
	b.text(fmt.Sprintf("(() => { const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event('input')); return '' })()", selector, value))
}

func (b *browser) scheme(name string) {
	b.t.Helper()
	b.call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
		return err
	})
}

// picture keeps a screenshot where STACRUN_PICTURES names a folder.
func (b *browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("STACRUN_PICTURES")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// both takes a picture in light and dark, wide and narrow.
func (b *browser) both(name string) {
	b.t.Helper()
	if os.Getenv("STACRUN_PICTURES") == "" {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, width := range []int64{1280, 400} {
			b.do(chromedp.EmulateViewport(width, 900))
			b.picture(fmt.Sprintf("%s-%s-%d.png", name, scheme, width))
		}
	}
	b.do(chromedp.EmulateViewport(1280, 900))
}

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
	b := openBrowser(t)
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
	b.scheme("light")
	b.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(server.URL()))
	b.until("the settings are there", `document.querySelector('#groups input')`)
	if got := b.text(`document.querySelector('[name="execution.0.concurrency"]').value`); got != "2" {
		t.Errorf("concurrency of the file is shown as %q", got)
	}
	b.both("start")

	// A mistake is told beside its field, and nothing begins.
	b.fill(`[name="execution.0.hold-for"]`, "soon")
	b.click("#go")
	b.until("the mistake is told", `document.querySelector('#mistakes li') && document.querySelector('[name="execution.0.hold-for"].wrong')`)
	if got := b.text(`document.querySelector('#phase').textContent`); got != "idle" {
		t.Errorf("phase %q", got)
	}
	b.picture("mistake.png")

	// Settings of one's own.
	b.fill(`[name="execution.0.hold-for"]`, "8m")
	b.fill(`[name="execution.0.concurrency"]`, "3")
	b.fill(`[name="scenarios.search.default-address"]`, target.URL)
	b.click("#go")
	b.until("the run goes on", `document.querySelector('#phase').textContent === 'running'`)
	points := `(document.querySelector('#chart-traffic [data-line="done"]') || {getAttribute: () => ''}).getAttribute('d').length`
	b.until("the chart has points", points+" > 10")
	before := b.text("String(" + points + ")")
	b.until("the chart grows", points+" > "+before)
	if got := b.text(`document.querySelector('.load span').textContent`); !strings.HasPrefix(got, "3 users of 3") {
		t.Errorf("load %q", got)
	}
	if got := b.text(`document.querySelector('#about').textContent`); !strings.Contains(got, "of 08:00") {
		t.Errorf("about %q", got)
	}

	// The load is changed, by keyboard as much as by mouse: the form is submitted.
	b.fill(".load input", "5")
	b.text(`(document.querySelector('.load form').requestSubmit(), '')`)
	b.until("five users", `document.querySelector('.load span').textContent.startsWith('5 users')`)
	b.until("the change is an event", `[...document.querySelectorAll('#events li')].some((e) => e.textContent.includes('5 users'))`)
	b.click("#pause")
	b.until("it is paused", `document.querySelector('#phase').textContent === 'paused'`)
	b.click("#pause")
	b.until("it goes on", `document.querySelector('#phase').textContent === 'running'`)
	b.text(`(() => { const s = document.querySelector('#chart-traffic'), r = s.getBoundingClientRect();
		s.dispatchEvent(new PointerEvent('pointermove', {clientX: r.left + r.width / 4, clientY: r.top + 50, bubbles: true})); return '' })()`)
	if got := b.text(`document.querySelector('#at').textContent`); !strings.HasPrefix(got, "at 00:0") {
		t.Errorf("under the pointer: %q", got)
	}
	b.both("run")
	if b.text(`String(document.documentElement.scrollWidth <= innerWidth)`) != "true" {
		t.Error("the page is wider than the window")
	}

	// A second viewer sees the same.
	second := fetch(t, server.URL()+"api/state")
	if !strings.Contains(second, `"phase":"running"`) {
		t.Errorf("second viewer: %.200s", second)
	}
	b.click("#tab-log")
	b.until("the log", `document.querySelector('#log').textContent.includes('load started')`)
	b.click("#tab-run")

	b.click("#stop")
	b.until("it has ended", `document.querySelector('#phase').textContent === 'interrupted'`)
	b.until("there is something to fetch", `document.querySelector('#downloads a')`)
	b.both("ended")
	report := b.text(`document.querySelector('#downloads a').href`)
	if page := fetch(t, report); !strings.Contains(page, `id="verdict"`) {
		t.Errorf("the report: %.200s", page)
	}
	for _, name := range []string{"totals.csv", "timeline.csv", "junit.xml", "report.md", "summary.json"} {
		if text := fetch(t, strings.Replace(report, "report.html", name, 1)); !strings.Contains(text, "GET /search") {
			t.Errorf("%s: %.200s", name, text)
		}
	}

	// Another run, and the two beside one another.
	b.click("#tab-start")
	b.fill(`[name="execution.0.hold-for"]`, "")
	b.fill(`[name="execution.0.iterations"]`, "5")
	b.click("#go")
	b.until("the second run passes", `document.querySelector('#phase').textContent === 'passed'`)
	b.click("#tab-runs")
	b.until("both are listed", `document.querySelectorAll('#runs tr').length === 2`)
	b.text(`(document.querySelectorAll('#runs input').forEach((e) => e.click()), '')`)
	b.both("history")
	compared := b.text(`document.querySelector('#compare').href`)
	if page := fetch(t, compared); !strings.Contains(page, `id="compare"`) {
		t.Errorf("the comparison: %.200s", page)
	}
	b.do(chromedp.Navigate(compared))
	b.until("the comparison opens", `document.querySelector('#compare td')`)
	b.picture("compared.png")

	b.mu.Lock()
	defer b.mu.Unlock()
	for _, problem := range b.problems {
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
