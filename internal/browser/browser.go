package browser

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// limit is how long a test may use its page; it only ends what hangs.
const limit = 3 * time.Minute

// Page is a page of a Chromium of its own, with an empty profile. Its methods end the test where the browser fails them.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string
	problems []string
}

// Open starts Chromium, which the end of the test ends, or skips the test where there is none.
func Open(t testing.TB) *Page {
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
	p := &Page{t: t, ctx: ctx}
	p.Do(chromedp.Navigate("about:blank")) // starts it; only later contexts may have an end
	p.ctx, cancel = context.WithTimeout(ctx, limit)
	t.Cleanup(cancel)
	p.watch()
	return p
}

// Tab opens another page in the same browser, as a second window of the same person is.
func (p *Page) Tab() *Page {
	p.t.Helper()
	ctx, cancel := chromedp.NewContext(p.ctx)
	p.t.Cleanup(cancel)
	tab := &Page{t: p.t, ctx: ctx}
	tab.Do(chromedp.Navigate("about:blank"))
	tab.watch()
	return tab
}

func (p *Page) watch() {
	p.t.Helper()
	p.Call(func(ctx context.Context) error { return chromedp.Listen(ctx, p.listen) })
	p.Call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return err
	})
	p.Call(func(ctx context.Context) error { _, err := chromedp.Call(ctx, cdplog.Enable, struct{}{}); return err })
}

func (p *Page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, e.ExceptionDetails.Text)
	case *cdplog.EventEntryAdded:
		p.problems = append(p.problems, e.Entry.Text)
	}
}

// Requests are the addresses that the page asked for until now, its own among them.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Problems are the errors of scripts, of loading and of the content security policy until now.
func (p *Page) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.problems)
}

// Part runs a part of a test that is ended by its own failures only.
func (p *Page) Part(name string, part func(*testing.T)) {
	whole := p.t
	whole.(*testing.T).Run(name, func(t *testing.T) { //nolint:forcetypeassert // benchmarks have no parts
		p.t = t
		defer func() { p.t = whole }()
		part(t)
	})
}
