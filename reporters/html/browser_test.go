package html

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/stacrun/stacrun/internal/browser"
)

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
	b := browser.Open(t)
	d := madeRun{name: "search", seconds: 125, labels: append(labelsNamed(6), hostile()...), rate: 200, slowness: 1, seed: 1, warmUp: 10}.run(t)
	d.Baseline = madeRun{name: "search before", seconds: 60, labels: labelsNamed(5), rate: 200, slowness: 1.2, seed: 2}.run(t)
	d.Configuration = "execution:\n- concurrency: 20\n  hold-for: 2m\n  scenario: search\n"
	address := writePage(t, d)

	b.Scheme("light", "")
	b.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(address))
	light := b.Text(`getComputedStyle(document.body).backgroundColor`)
	b.Picture("light-1280.png")

	b.Part("toggle a series", func(t *testing.T) {
		axis := `document.querySelector('#chart-response .values text:last-child').textContent`
		before := b.Text(axis)
		b.Do(chromedp.Click(`[data-panel="response"] .key[data-line="p99"]`))
		if got := b.Text(`getComputedStyle(document.querySelector('#chart-response [data-line="p99"]')).display`); got != "none" {
			t.Errorf("the line is still shown: display %q", got)
		}
		if after := b.Text(axis); after == before {
			t.Errorf("the axis still ends at %s", after)
		}
		b.Do(chromedp.Click(`[data-panel="response"] .key[data-line="p99"]`))
		if again := b.Text(axis); again != before {
			t.Errorf("axis ends at %s, before at %s", again, before)
		}
	})
	b.Part("sort the table", func(t *testing.T) {
		names := `[...document.querySelectorAll('#label-table tbody tr')].map(r => r.dataset.v.split(' ')[5]).join(' ')`
		b.Do(chromedp.Click(`#label-table th[data-column="5"] button`)) // p50, greatest first
		values := strings.Fields(b.Text(names))
		if !slices.IsSortedFunc(values, func(a, b string) int { return -compareNumbers(t, a, b) }) {
			t.Errorf("not sorted downwards: %v", values)
		}
		sorted := `document.querySelector('#label-table th[data-column="5"]').getAttribute('aria-sort')`
		if got := b.Text(sorted); got != "descending" {
			t.Errorf("said to be sorted %q", got)
		}
		b.Do(chromedp.Click(`#label-table th[data-column="5"] button`))
		slices.Reverse(values)
		if got := b.Text(names); got != strings.Join(values, " ") {
			t.Errorf("not sorted upwards: %v", got)
		}
	})
	b.Part("filter the table", func(t *testing.T) {
		b.Text(`(() => { const f = document.querySelector('#filter'); f.value = 'collections ITEMS'; f.dispatchEvent(new Event('input')); return '' })()`)
		if got, want := b.Text(`document.querySelector('#shown').textContent`), fmt.Sprintf("1 of %d labels", len(d.Outcome.Snapshot.Rows())); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		b.Text(`(() => { const f = document.querySelector('#filter'); f.value = ''; f.dispatchEvent(new Event('input')); return '' })()`)
	})
	b.Part("values under the pointer", func(t *testing.T) {
		b.Text(`(() => { const s = document.querySelector('#chart-response'), r = s.getBoundingClientRect();
			s.dispatchEvent(new PointerEvent('pointermove', {clientX: r.left + r.width / 2, clientY: r.top + 50, pointerType: 'mouse'})); return '' })()`)
		if got := b.Text(`document.querySelector('.readout').textContent`); !regexp.MustCompile(`^(00:5|01:0)\d +\d+ requests`).MatchString(got) {
			t.Errorf("readout %q", got)
		}
		if got := b.Text(`document.querySelector('[data-panel="response"] .key[data-line="before"] b').textContent`); !strings.HasSuffix(got, "s") {
			t.Errorf("p95 of the run compared with is %q", got)
		}
		if got := b.Text(`document.querySelector('[data-panel="traffic"] .key b').textContent`); !strings.HasSuffix(got, "/s") {
			t.Errorf("throughput %q", got)
		}
		b.Picture("hover.png")
	})
	b.Part("zoom by keyboard", func(t *testing.T) {
		b.Text(`(document.querySelector('.lines').focus(), '')`)
		b.Do(chromedp.KeyEvent("+"))
		if got := b.Text(`document.querySelector('#chart-users .plot').getAttribute('viewBox').split(' ')[2]`); got != "5000" {
			t.Errorf("half of the run is %s wide, want 5000", got)
		}
		b.Picture("zoomed.png")
		b.Do(chromedp.KeyEvent("\x1b"))
		if got := b.Text(`document.querySelector('#chart-users .plot').getAttribute('viewBox').split(' ')[2]`); got != "10000" {
			t.Errorf("the whole run is %s wide, want 10000", got)
		}
	})
	b.Part("cursor by keyboard", func(t *testing.T) {
		at := `document.querySelector('.readout b').textContent`
		b.Text(`(document.querySelector('.lines').focus(), '')`)
		b.Do(chromedp.KeyEvent(kb.ArrowRight)) // the right arrow: to the beginning, then on
		first := b.Text(at)
		b.Do(chromedp.KeyEvent(kb.ArrowRight))
		if next := b.Text(at); !strings.HasPrefix(first, "00:00") || next == first {
			t.Errorf("at %q, then at %q", first, next)
		}
		b.Do(chromedp.KeyEvent("\x1b"))
		if got := b.Text(`String(document.querySelector('.readout b'))`); got != "null" {
			t.Errorf("still at a time: %s", got)
		}
	})
	b.Part("zoom by dragging", func(t *testing.T) {
		drag := `(() => { const s = document.querySelector('#chart-response'), r = s.getBoundingClientRect(); let x = r.left + r.width / 4;
			const event = (type) => s.dispatchEvent(new PointerEvent(type, {clientX: x, clientY: r.top + 50, pointerType: 'mouse', button: 0, pointerId: 1, bubbles: true}));
			s.setPointerCapture = () => {}; event('pointerdown'); x += r.width / 4; event('pointermove'); event('pointerup'); return '' })()`
		box := `document.querySelector('#chart-users .plot').getAttribute('viewBox')`
		whole := b.Text(box)
		b.Text(drag)
		if zoomed := strings.Fields(b.Text(box)); zoomed[0] == "0" || compareNumbers(t, zoomed[2], "4000") > 0 {
			t.Errorf("a quarter of the width shows %v of 10000", zoomed)
		}
		b.Text(`(document.querySelector('#chart-response').dispatchEvent(new MouseEvent('dblclick')), '')`)
		if got := b.Text(box); got != whole {
			t.Errorf("a double click shows %s, want the whole run %s", got, whole)
		}
	})
	b.Part("everything has a name and a state", func(t *testing.T) {
		if got := b.Text(`[...document.querySelectorAll('button, select, input, a, summary')].filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || (e.labels && e.labels.length))).map((e) => e.outerHTML).join()`); got != "" {
			t.Errorf("without a name: %s", got)
		}
		if got := b.Text(`[...document.querySelectorAll('.key')].filter((e) => !/^(true|false)$/.test(e.getAttribute('aria-pressed'))).map((e) => e.outerHTML).join()`); got != "" {
			t.Errorf("toggles without a state: %s", got)
		}
		if got := b.Text(`[...document.querySelectorAll('th')].filter((e) => !e.scope).map((e) => e.outerHTML).join()`); got != "" {
			t.Errorf("heads of no column and no row: %s", got)
		}
		if got := b.Text(`[...document.querySelectorAll('svg[role=img]')].filter((e) => !e.getAttribute('aria-label')).map((e) => e.id).join()`); got != "" {
			t.Errorf("drawings without a text: %s", got)
		}
	})
	b.Part("distribution of a label", func(t *testing.T) {
		before := b.Text(`document.querySelector('#spread .plot .shape').getAttribute('d')`)
		b.Text(`(() => { const s = document.querySelector('#spread-of'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); return '' })()`)
		if b.Text(`document.querySelector('#spread .plot .shape').getAttribute('d')`) == before {
			t.Error("the shape did not change")
		}
	})
	b.Part("dark", func(t *testing.T) {
		b.Scheme("dark", "")
		if got := b.Text(`getComputedStyle(document.body).backgroundColor`); got == light {
			t.Errorf("as light as before: %s", got)
		}
		b.Picture("dark-1280.png")
		b.Text(`(document.querySelector('#theme').click(), '')`) // auto → light
		if got := b.Text(`getComputedStyle(document.body).backgroundColor`); got != light {
			t.Errorf("chosen light is %s, want %s", got, light)
		}
		b.Text(`(document.querySelector('#theme').click(), '')`) // dark
	})
	b.Part("paper is white", func(t *testing.T) {
		b.Paper("paper.pdf")
		b.Scheme("dark", "print")
		if got := b.Text(`getComputedStyle(document.body).backgroundColor`); got != "rgb(255, 255, 255)" {
			t.Errorf("background %s", got)
		}
		b.Scheme("light", "")
	})
	b.Part("telephone", func(t *testing.T) {
		b.Do(chromedp.EmulateViewport(400, 800), chromedp.Navigate(address))
		if got := b.Text(`String(document.documentElement.scrollWidth)`); got != "400" {
			t.Errorf("the page is %s pixels wide, want 400", got)
		}
		b.Picture("phone-400.png")
	})

	for _, request := range b.Requests() {
		if !strings.HasPrefix(request, address) && !strings.HasPrefix(request, "about:") {
			t.Errorf("the page asked for %s", request)
		}
	}
	for _, problem := range b.Problems() {
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
