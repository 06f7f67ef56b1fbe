package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Call does something with the browser's own protocol.
func (p *Page) Call(f func(context.Context) error) {
	p.t.Helper()
	if err := f(p.ctx); err != nil {
		p.t.Fatal(err)
	}
}

// Do carries out actions one after another.
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// Text evaluates an expression that gives a string.
func (p *Page) Text(expression string) string {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Until waits for an expression to be true.
func (p *Page) Until(what, expression string) {
	p.t.Helper()
	for p.Text("String(Boolean("+expression+"))") != "true" {
		select {
		case <-p.ctx.Done():
			p.t.Fatalf("never: %s", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Click clicks by an event, as a real click waits for the page to stand still.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.Text(fmt.Sprintf("(document.querySelector(%q).click(), '')", selector))
}

// Fill types a value into a field.
func (p *Page) Fill(selector, value string) {
	p.t.Helper()
	p.Text(fmt.Sprintf("(() => { const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event('input')); return '' })()", selector, value))
}

// Scheme makes the system light or dark, on a medium such as "print"; "" is the screen.
func (p *Page) Scheme(name, medium string) {
	p.t.Helper()
	p.Call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
		return err
	})
}

// SaveTo has downloads saved in a folder, under the names that they come with.
func (p *Page) SaveTo(dir string) {
	p.t.Helper()
	p.Call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
		})
		return err
	})
}

// Offline takes the network away from the page.
func (p *Page) Offline() {
	p.t.Helper()
	p.Call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{Offline: true}},
		})
		return err
	})
}

// Paper prints the page; the PDF is kept under the name as [Page.Picture] keeps a picture.
func (p *Page) Paper(name string) []byte {
	p.t.Helper()
	pdf, err := chromedp.Run(p.ctx, chromedp.PrintToPDF())
	if err != nil {
		p.t.Fatal(err)
	}
	p.keep(name, pdf)
	return pdf
}

// pictures names the folder where pictures are kept for people to look at; "": they are not taken.
func pictures() string { return os.Getenv("STACRUN_PICTURES") }

// Picture keeps a picture of the whole page in the folder that STACRUN_PICTURES names; without it there is none.
func (p *Page) Picture(name string) {
	p.t.Helper()
	if pictures() == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Fatal(err)
	}
	p.keep(name, png)
}

func (p *Page) keep(name string, data []byte) {
	p.t.Helper()
	if pictures() == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(pictures(), name), data, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// Pictures keeps a picture in light and dark, wide and as on a telephone, and leaves the page wide and dark.
func (p *Page) Pictures(name string) {
	p.t.Helper()
	if pictures() == "" {
		return
	}
	for _, scheme := range []string{"light", "dark"} {
		p.Scheme(scheme, "")
		for _, width := range []int64{1280, 400} {
			p.Do(chromedp.EmulateViewport(width, 900))
			p.Picture(fmt.Sprintf("%s-%s-%d.png", name, scheme, width))
		}
	}
	p.Do(chromedp.EmulateViewport(1280, 900))
}
