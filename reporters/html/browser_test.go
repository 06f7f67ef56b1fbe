package html

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a page in Debian's Chromium, without network.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // addresses
	problems []string // errors of scripts and of the policy
}

// openBrowser starts Chromium, or skips the test where there is none.
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
	b.ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b.call(func(ctx context.Context) error { return chromedp.Listen(ctx, b.listen) })
	b.call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return err
	})
	b.call(func(ctx context.Context) error { _, err := chromedp.Call(ctx, cdplog.Enable, struct{}{}); return err })
	return b
}

func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
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

// run runs a part of a test that is ended by its own failures only.
func (b *browser) run(name string, part func(*testing.T)) {
	whole := b.t
	whole.Run(name, func(t *testing.T) {
		b.t = t
		defer func() { b.t = whole }()
		part(t)
	})
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

func (b *browser) scheme(name, media string) {
	b.t.Helper()
	b.call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
		return err
	})
}

// picture keeps a screenshot for people to look at.
func (b *browser) picture(dir, name string) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	b.keep(filepath.Join(dir, name), png)
}

func (b *browser) keep(name string, data []byte) {
	b.t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// pictures is where screenshots go: a folder that is named to keep them, or one that vanishes.
func pictures(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("STACRUN_PICTURES"); dir != "" {
		return dir
	}
	return t.TempDir()
}

func writePage(t *testing.T, d *Data) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(f, d); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return "file://" + name
}

// TestPageInBrowser opens the page without network and uses what its script offers.
func TestPageInBrowser(t *testing.T) {
	b := openBrowser(t)
	dir := pictures(t)
	d := madeRun{name: "search", seconds: 125, labels: append(labelsNamed(6), hostile()...), rate: 200, slowness: 1, seed: 1, warmUp: 10}.run(t)
	d.Baseline = madeRun{name: "search before", seconds: 60, labels: labelsNamed(5), rate: 200, slowness: 1.2, seed: 2}.run(t)
	d.Configuration = "execution:\n- concurrency: 20\n  hold-for: 2m\n  scenario: search\n"
	address := writePage(t, d)

	b.scheme("light", "")
	b.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(address))
	light := b.text(`getComputedStyle(document.body).backgroundColor`)
	b.picture(dir, "light-1280.png")

	b.run("toggle a series", func(t *testing.T) {
		axis := `document.querySelector('#chart-response .values text:last-child').textContent`
		before := b.text(axis)
		b.do(chromedp.Click(`[data-panel="response"] .key[data-line="p99"]`))
		if got := b.text(`getComputedStyle(document.querySelector('#chart-response [data-line="p99"]')).display`); got != "none" {
			t.Errorf("the line is still shown: display %q", got)
		}
		if after := b.text(axis); after == before {
			t.Errorf("the axis still ends at %s", after)
		}
		b.do(chromedp.Click(`[data-panel="response"] .key[data-line="p99"]`))
		if again := b.text(axis); again != before {
			t.Errorf("axis ends at %s, before at %s", again, before)
		}
	})
	b.run("sort the table", func(t *testing.T) {
		names := `[...document.querySelectorAll('#label-table tbody tr')].map(r => r.dataset.v.split(' ')[5]).join(' ')`
		b.do(chromedp.Click(`#label-table th[data-column="5"] button`)) // p50, greatest first
		values := strings.Fields(b.text(names))
		if !slices.IsSortedFunc(values, func(a, b string) int { return -compareNumbers(t, a, b) }) {
			t.Errorf("not sorted downwards: %v", values)
		}
		b.do(chromedp.Click(`#label-table th[data-column="5"] button`))
		slices.Reverse(values)
		if got := b.text(names); got != strings.Join(values, " ") {
			t.Errorf("not sorted upwards: %v", got)
		}
	})
	b.run("filter the table", func(t *testing.T) {
		b.text(`(() => { const f = document.querySelector('#filter'); f.value = 'collections ITEMS'; f.dispatchEvent(new Event('input')); return '' })()`)
		if got, want := b.text(`document.querySelector('#shown').textContent`), fmt.Sprintf("1 of %d labels", len(d.Outcome.Snapshot.Rows())); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		b.text(`(() => { const f = document.querySelector('#filter'); f.value = ''; f.dispatchEvent(new Event('input')); return '' })()`)
	})
	b.run("values under the pointer", func(t *testing.T) {
		b.text(`(() => { const s = document.querySelector('#chart-response'), r = s.getBoundingClientRect();
			s.dispatchEvent(new PointerEvent('pointermove', {clientX: r.left + r.width / 2, clientY: r.top + 50, pointerType: 'mouse'})); return '' })()`)
		if got := b.text(`document.querySelector('.readout').textContent`); !regexp.MustCompile(`^(00:5|01:0)\d +\d+ requests`).MatchString(got) {
			t.Errorf("readout %q", got)
		}
		if got := b.text(`document.querySelector('[data-panel="response"] .key[data-line="before"] b').textContent`); !strings.HasSuffix(got, "s") {
			t.Errorf("p95 of the run compared with is %q", got)
		}
		if got := b.text(`document.querySelector('[data-panel="traffic"] .key b').textContent`); !strings.HasSuffix(got, "/s") {
			t.Errorf("throughput %q", got)
		}
		b.picture(dir, "hover.png")
	})
	b.run("zoom by keyboard", func(t *testing.T) {
		b.text(`(document.querySelector('.lines').focus(), '')`)
		b.do(chromedp.KeyEvent("+"))
		if got := b.text(`document.querySelector('#chart-users .plot').getAttribute('viewBox').split(' ')[2]`); got != "5000" {
			t.Errorf("half of the run is %s wide, want 5000", got)
		}
		b.picture(dir, "zoomed.png")
		b.do(chromedp.KeyEvent("\x1b"))
		if got := b.text(`document.querySelector('#chart-users .plot').getAttribute('viewBox').split(' ')[2]`); got != "10000" {
			t.Errorf("the whole run is %s wide, want 10000", got)
		}
	})
	b.run("distribution of a label", func(t *testing.T) {
		before := b.text(`document.querySelector('#spread .plot .shape').getAttribute('d')`)
		b.text(`(() => { const s = document.querySelector('#spread-of'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); return '' })()`)
		if b.text(`document.querySelector('#spread .plot .shape').getAttribute('d')`) == before {
			t.Error("the shape did not change")
		}
	})
	b.run("dark", func(t *testing.T) {
		b.scheme("dark", "")
		if got := b.text(`getComputedStyle(document.body).backgroundColor`); got == light {
			t.Errorf("as light as before: %s", got)
		}
		b.picture(dir, "dark-1280.png")
		b.text(`(document.querySelector('#theme').click(), '')`) // auto → light
		if got := b.text(`getComputedStyle(document.body).backgroundColor`); got != light {
			t.Errorf("chosen light is %s, want %s", got, light)
		}
		b.text(`(document.querySelector('#theme').click(), '')`) // dark
	})
	b.run("paper is white", func(t *testing.T) {
		pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
		if err != nil {
			t.Fatal(err)
		}
		b.keep(filepath.Join(dir, "paper.pdf"), pdf)
		b.scheme("dark", "print")
		if got := b.text(`getComputedStyle(document.body).backgroundColor`); got != "rgb(255, 255, 255)" {
			t.Errorf("background %s", got)
		}
		b.scheme("light", "")
	})
	b.run("telephone", func(t *testing.T) {
		b.do(chromedp.EmulateViewport(400, 800), chromedp.Navigate(address))
		if got := b.text(`String(document.documentElement.scrollWidth)`); got != "400" {
			t.Errorf("the page is %s pixels wide, want 400", got)
		}
		b.picture(dir, "phone-400.png")
	})

	b.mu.Lock()
	defer b.mu.Unlock()
	for _, request := range b.requests {
		if !strings.HasPrefix(request, address) && !strings.HasPrefix(request, "about:") {
			t.Errorf("the page asked for %s", request)
		}
	}
	for _, problem := range b.problems {
		t.Errorf("the browser complains: %s", problem)
	}
}

func compareNumbers(t *testing.T, a, b string) int {
	t.Helper()
	var x, y float64
	if _, err := fmt.Sscan(a+" "+b, &x, &y); err != nil {
		t.Fatal(err)
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
