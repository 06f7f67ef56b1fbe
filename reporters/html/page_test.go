package html

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// hostile are labels that would break a page that does not escape them.
func hostile() []string {
	return []string{
		`</script><script>document.title="broken"</script>`, `"><img src=x onerror=alert(1)>`, `'quoted' & "double" {{.Version}}`,
		"\u202eright to left", "שלום", "🛰️ emoji", "<!-- comment", `]]>`, "a\tb\nc", "\xff\xfe not UTF-8", "<b>bold</b>",
	}
}

func render(t testing.TB, d *Data) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkPage says what is wrong with a page: elements that are not closed in order, ids that are
// not unique, references to anything outside, scripts that are not ours.
func checkPage(t *testing.T, page string) {
	t.Helper()
	void := map[string]bool{"meta": true, "input": true, "br": true, "link": true}
	ids := map[string]bool{}
	var open []string
	scripts := 0
	z := xhtml.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		if kind == xhtml.ErrorToken {
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			break
		}
		token := z.Token()
		switch kind {
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			for _, a := range token.Attr {
				switch a.Key {
				case "id":
					if ids[a.Val] {
						t.Errorf("id %q is not unique", a.Val)
					}
					ids[a.Val] = true
				case "href":
					if !strings.HasPrefix(a.Val, "#") {
						t.Errorf("link to %q", a.Val)
					}
				case "src", "srcset", "xlink:href", "action", "data":
					t.Errorf("%s refers to %q", token.Data, a.Val)
				}
				if strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s has %s", token.Data, a.Key)
				}
			}
			if token.Data == "script" {
				scripts++
			}
			if kind == xhtml.StartTagToken && !void[token.Data] {
				open = append(open, token.Data)
			}
		case xhtml.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("</%s> closes %v", token.Data, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("never closed: %v", open)
	}
	if scripts > 2 {
		t.Errorf("%d scripts, want 2: the data and ours", scripts)
	}
	if strings.Contains(page, "url(") || strings.Contains(page, "@import") {
		t.Error("the style loads something")
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Error("html/template refused a value")
	}
}

func TestPageIsWellFormed(t *testing.T) {
	empty := NewData(report.Run{})
	empty.Outcome = &report.Outcome{Result: report.ResultError, ExitCode: 1, Errors: []string{"dial tcp: <refused>"}}
	baseline := madeRun{name: "before", seconds: 20, labels: labelsNamed(4), rate: 50, slowness: 2, seed: 3}.run(t)
	compared := madeRun{name: "now", seconds: 20, labels: append(hostile(), "search"), rate: 50, slowness: 1, seed: 4}.run(t)
	compared.Baseline = baseline
	named := madeRun{name: "</title><script>alert(1)</script>", seconds: 5, labels: labelsNamed(1), rate: 20, slowness: 1, seed: 5}.run(t)
	named.Configuration = "a: </pre><script>alert(1)</script>"
	for name, d := range map[string]*Data{
		"no interval": empty, "closed": baseline, "compared, hostile labels": compared, "hostile name": named,
		"open with warm-up": madeRun{name: "open", seconds: 30, labels: labelsNamed(8), rate: 60, slowness: 1, seed: 6, open: true, warmUp: 5}.run(t),
		"one second":        madeRun{name: "short", seconds: 1, labels: labelsNamed(1), rate: 400, slowness: 1, seed: 7}.run(t),
	} {
		t.Run(name, func(t *testing.T) { checkPage(t, render(t, d)) })
	}
}

// TestPageAddsUp compares the figures in the page with those of the snapshot.
func TestPageAddsUp(t *testing.T) {
	d := madeRun{name: "sums", seconds: 700, labels: labelsNamed(9), rate: 60, slowness: 1, seed: 8, warmUp: 20}.run(t)
	page := render(t, d)
	totals := report.NewTotals(d.Outcome.Snapshot)

	rows := tableRows(t, page, "label-table")
	var finished, failed int64
	for _, row := range rows[:len(rows)-1] {
		if strings.Contains(row[0], "iteration") {
			continue
		}
		finished += number64(t, row[1])
		failed += number64(t, strings.Split(row[2], " ")[0])
	}
	last := rows[len(rows)-1]
	if want := totals.Total.Finished; finished != want || number64(t, last[1]) != want {
		t.Errorf("labels add up to %d, the last line says %s, the snapshot %d", finished, last[1], want)
	}
	if want := totals.Total.Failed; failed != want || number64(t, strings.Split(last[2], " ")[0]) != want {
		t.Errorf("failures add up to %d, the last line says %s, the snapshot %d", failed, last[2], want)
	}

	data := page[strings.Index(page, `id="data">`)+len(`id="data">`):]
	data = data[:strings.Index(data, "</script>")]
	var script struct{ Counts, Failed []int64 }
	if err := json.Unmarshal([]byte(data), &script); err != nil {
		t.Fatal(err)
	}
	if n := len(script.Counts); n == 0 || n > maxSlots {
		t.Errorf("%d slots, want 1…%d", n, maxSlots)
	}
	if got, want := sum(script.Counts), totals.Requests.Finished; got != want {
		t.Errorf("the time line has %d requests, the snapshot %d", got, want)
	}
	if got, want := sum(script.Failed), totals.Failed; got != want {
		t.Errorf("the time line has %d failed requests, the snapshot %d", got, want)
	}
}

func sum(values []int64) int64 {
	total := int64(0)
	for _, v := range values {
		total += v
	}
	return total
}

func number64(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// tableRows gives the texts of the cells of a table, without its head.
func tableRows(t *testing.T, page, id string) [][]string {
	t.Helper()
	root, err := xhtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var table *xhtml.Node
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "id" && a.Val == id {
				table = n
			}
		}
	}
	if table == nil {
		t.Fatalf("no table %q", id)
	}
	var rows [][]string
	for n := range table.Descendants() {
		if n.Type != xhtml.ElementNode || n.Data != "tr" || n.Parent.Data == "thead" {
			continue
		}
		var cells []string
		for c := range n.ChildNodes() {
			if c.Type == xhtml.ElementNode {
				cells = append(cells, textOf(c))
			}
		}
		rows = append(rows, cells)
	}
	return rows
}

func textOf(n *xhtml.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == xhtml.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// madeHour is a run of an hour with 200 labels: 3,600 intervals.
func madeHour(t testing.TB) *Data {
	return madeRun{name: "hour", seconds: 3600, labels: labelsNamed(200), rate: 150, slowness: 1, seed: 9, open: true}.run(t)
}

// TestPageSize renders an hour of 200 labels.
func TestPageSize(t *testing.T) {
	d := madeHour(t)
	page := render(t, d)
	if size := len(page); size >= 500_000 {
		t.Errorf("%d bytes, want less than 500,000", size)
	}
	checkPage(t, page)
}

func TestMomentsKeepTheSlowest(t *testing.T) {
	var m Moments
	for second := range 500 {
		iv := &metrics.Interval{Second: int64(second), Rows: []metrics.Row{{Label: "a", Finished: 1}}}
		ms := int64(second % 100)
		if second == 250 || second == 251 {
			ms = 1000 + int64(second)
		}
		iv.Rows[0].Response.Record(ms * 1e6)
		iv.Rows[0].Service.Record(ms * 1e6)
		m.Add(iv)
	}
	m.Add(&metrics.Interval{Second: 600}) // without requests: no moment
	got := m.Slowest(3)
	if len(got) != 3 || got[0].First != 250 || got[0].Last != 251 || got[0].Finished != 2 || got[0].Max != 1251e6 {
		t.Errorf("slowest is %+v", got)
	}
	if len(m.seconds) != keptMoments {
		t.Errorf("%d seconds are kept, want %d", len(m.seconds), keptMoments)
	}
}

// One slow second stands alone among its neighbours, and so does the one in which the generator was late.
func TestMomentsJoinWhatIsAlike(t *testing.T) {
	var m Moments
	for second, ms := range []int64{50, 55, 60, 900, 55, 50, 52} {
		iv := &metrics.Interval{Second: int64(second), Rows: []metrics.Row{{Label: "a", Finished: 1}}}
		iv.Rows[0].Response.Record(ms * 1e6)
		iv.Rows[0].Service.Record(ms * 1e6)
		if second == 1 {
			iv.Health.CPUShare = 1
		}
		m.Add(iv)
	}
	var got []string
	for _, moment := range m.Slowest(9) {
		got = append(got, fmt.Sprintf("%d-%d %v", moment.First, moment.Last, moment.Generator))
	}
	if want := []string{"3-3 false", "2-2 false", "1-1 true", "4-6 false", "0-0 false"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzPage(f *testing.F) {
	for _, label := range hostile() {
		f.Add(label, label)
	}
	f.Fuzz(func(t *testing.T, label, text string) {
		d := NewData(report.Run{Name: label})
		snap := metrics.NewSnapshot()
		iv := &metrics.Interval{Rows: []metrics.Row{{Label: label, Finished: 2, Failed: 1}}, Events: []metrics.Event{{Kind: "warning", Text: text}}}
		row := &iv.Rows[0]
		row.Faults[metrics.FaultReset] = 1
		row.Response.Record(5e6)
		row.Service = row.Response
		iv.Errors = []metrics.ErrorText{{Label: label, Fault: metrics.FaultReset, Text: text, Count: 1}}
		iv.Health.CPUShare = 0.5
		snap.Add(iv)
		d.Add(iv)
		d.Configuration = text
		d.Outcome = &report.Outcome{Result: report.ResultPassed, Reason: text, Errors: []string{text}, Snapshot: snap}
		d.Baseline = d
		checkPage(t, render(t, d))
	})
}
