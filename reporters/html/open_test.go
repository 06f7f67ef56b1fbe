package html

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/stacrun/stacrun/internal/browser"
)

// BenchmarkPageOpens_hourOf200Labels has Chromium open the page of an hour with 200 labels, and tells what Chromium itself took the time
// of: the first content on the screen, the document ready with its script run, and the end of loading.
func BenchmarkPageOpens_hourOf200Labels(b *testing.B) {
	page := render(b, madeHour(b))
	name := filepath.Join(b.TempDir(), "hour.html")
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		b.Fatal(err)
	}
	p := browser.Open(b)
	p.Do(chromedp.EmulateViewport(1280, 900))
	sums := map[string]float64{}
	for b.Loop() {
		p.Do(chromedp.Navigate("file://" + name))
		p.Until("it is loaded and painted", `performance.getEntriesByType('navigation')[0].loadEventEnd > 0 && performance.getEntriesByName('first-contentful-paint').length`)
		for unit, expression := range map[string]string{
			"paint-ms": `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
			"ready-ms": `performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`,
			"load-ms":  `performance.getEntriesByType('navigation')[0].loadEventEnd`,
		} {
			var ms float64
			if _, err := fmt.Sscan(p.Text("String("+expression+")"), &ms); err != nil {
				b.Fatal(err)
			}
			sums[unit] += ms
		}
	}
	for unit, sum := range sums {
		b.ReportMetric(sum/float64(b.N), unit)
	}
	b.ReportMetric(float64(len(page))/1000, "kB")
}
