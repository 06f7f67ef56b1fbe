package html

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	xhtml "golang.org/x/net/html"

	"github.com/stacrun/stacrun/reporters/reporttest"
)

// TestBesideTheTimes: numbers of answers, corrected times and what a receiver lost are on the page.
func TestBesideTheTimes(t *testing.T) {
	run, intervals, o := reporttest.Beside(t.TempDir())
	d := NewData(run)
	for _, iv := range intervals {
		d.Add(iv)
	}
	d.Outcome = o
	page := render(t, d)
	checkPage(t, page)
	if diff := cmp.Diff([][]string{{"GET /search", "took", "100", "1", "5.5", "5", "10", "10", "10"}}, tableRows(t, page, "numbers")); diff != "" {
		t.Error(diff)
	}
	rows := tableRows(t, page, "corrected")
	if len(rows) != 4 || rows[0][0] != "GET /search" || rows[0][1] != "40ms50ms" || rows[3][0] != "all requests" {
		t.Errorf("corrected: %q", rows)
	}
	if diff := cmp.Diff([]string{"Note: influx: 3 of 40 batches were <lost>"}, noticesOf(t, page)); diff != "" {
		t.Error(diff)
	}
}

// noticesOf gives the texts above the figures.
func noticesOf(t *testing.T, page string) (texts []string) {
	t.Helper()
	root, err := xhtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "class" && strings.HasPrefix(a.Val, "notice") {
				texts = append(texts, textOf(n))
			}
		}
	}
	return texts
}
