package ingest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Report is what came of an ingest.
type Report struct {
	Address    string
	Collection string
	New        bool // the collection was created
	Sent       int  // items handed to the API
	Created    int
	Existing   int
	Failed     int // items that the API refused, or that could not be sent
	Verified   int // items that were read back
	Missing    int // items that were accepted and could not be read back in time
	Bulk       bool
	Elapsed    time.Duration
	Errors     []ErrorRow // most frequent first, at most 50 kinds
}

// ErrorRow is one kind of error.
type ErrorRow struct {
	Status int // 0: none was received
	Text   string
	Count  int
	Item   string // id of the first item it happened to
	kind   string // the text without the item's id
}

// OK reports whether every item is there.
func (r *Report) OK() bool { return r.Failed == 0 && r.Missing == 0 && len(r.Errors) == 0 }

// maxErrorRows bounds the kinds of error that are told apart.
const maxErrorRows = 50

// fail counts an error. Texts that differ by the name of their item alone are one kind.
func (r *Report) fail(status int, text, item string) {
	kind := text
	if item != "" {
		kind = strings.ReplaceAll(text, item, "")
	}
	for i := range r.Errors {
		if r.Errors[i].Status == status && r.Errors[i].kind == kind {
			r.Errors[i].Count++
			return
		}
	}
	if len(r.Errors) == maxErrorRows {
		last := &r.Errors[maxErrorRows-1]
		last.Status, last.Text, last.Count = 0, "other errors", last.Count+1
		return
	}
	r.Errors = append(r.Errors, ErrorRow{status, text, 1, item, kind})
}

// String gives one line.
func (r *Report) String() string {
	way := "one by one"
	if r.Bulk {
		way = "in bulk"
	}
	s := fmt.Sprintf("%s of %s: %d created, %d existed, %d verified", r.Collection, r.Address, r.Created, r.Existing, r.Verified)
	if r.Failed > 0 {
		s += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Missing > 0 {
		s += fmt.Sprintf(", %d missing", r.Missing)
	}
	return s + fmt.Sprintf(" (%s, %s)", way, r.Elapsed.Round(time.Millisecond))
}

// WriteErrors writes the table of errors; nothing when there are none.
func (r *Report) WriteErrors(w io.Writer) error {
	if len(r.Errors) == 0 {
		return nil
	}
	slices.SortStableFunc(r.Errors, func(a, b ErrorRow) int { return cmp.Compare(b.Count, a.Count) })
	itemWidth := len("first item")
	for _, e := range r.Errors {
		itemWidth = max(itemWidth, len(e.Item))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%7s  %6s  %-*s  %s\n", "count", "status", itemWidth, "first item", "error")
	for _, e := range r.Errors {
		status := "-"
		if e.Status > 0 {
			status = fmt.Sprint(e.Status)
		}
		fmt.Fprintf(&b, "%7d  %6s  %-*s  %s\n", e.Count, status, itemWidth, e.Item, e.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
