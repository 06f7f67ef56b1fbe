package ingest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Report is what came of an ingest.
type Report struct {
	Address    string
	Collection string
	Engine     string // address of the engine that was written to; "": the API was
	New        bool   // the collection was created
	Sent       int    // items handed to the API
	Created    int
	Existing   int
	Found      int // of those that exist: found before anything was sent, by a run that resumed
	Failed     int // items that the API refused, or that could not be sent
	Verified   int // items that were read back
	Missing    int // items that were accepted and could not be read back in time
	Bulk       bool
	Parallel   int           // most requests in flight
	Bytes      int64         // of the bodies that were sent, each once
	Sending    time.Duration // until the last item was answered
	Elapsed    time.Duration // with reading back
	Errors     []ErrorRow    // most frequent first, at most 50 kinds
}

// Rate is the number of items per second that were sent and are there.
func (r *Report) Rate() float64 {
	if r.Sending <= 0 {
		return 0
	}
	return float64(r.Created+r.Existing-r.Found) / r.Sending.Seconds()
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
	if r.Engine != "" {
		way = "into " + r.Engine
	}
	s := fmt.Sprintf("%s of %s: %d created, %d existed, %d verified", r.Collection, r.Address, r.Created, r.Existing, r.Verified)
	if r.Failed > 0 {
		s += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Missing > 0 {
		s += fmt.Sprintf(", %d missing", r.Missing)
	}
	if r.Found > 0 {
		s += fmt.Sprintf(", %d were there before", r.Found)
	}
	if r.Sent > 0 {
		way += fmt.Sprintf(", %.0f items/s, up to %d at a time", r.Rate(), r.Parallel)
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
			status = strconv.Itoa(e.Status)
		}
		fmt.Fprintf(&b, "%7d  %6s  %-*s  %s\n", e.Count, status, itemWidth, e.Item, e.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
