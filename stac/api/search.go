package api

import (
	"slices"

	"github.com/stacrun/stacrun/stac/geo"
)

// DefaultLimit is the size of a page when none is asked for, MaxLimit the largest; who asks for more gets that.
const (
	DefaultLimit = 10
	MaxLimit     = 10_000
)

// Search is a compiled search request. It is immutable once parsed.
type Search struct {
	Collections []string // empty: all
	IDs         []string // empty: all
	Box         *geo.Box
	area        *geo.Geometry // of Box or intersects
	Time        *Interval
	filter      condition // of filter and query; nil: none
	order       []sortKey
	standard    bool // order is the default one
	Limit       int  // 1…MaxLimit
	after       cursor
	fields      *fields
}

// newSearch returns the search for everything.
func newSearch() *Search {
	return &Search{Limit: DefaultLimit, order: defaultOrder(), standard: true}
}

// Matches reports whether an item is among the hits, wherever paging stands.
func (s *Search) Matches(it *Item) bool {
	if len(s.Collections) > 0 && !slices.Contains(s.Collections, it.Collection) {
		return false
	}
	if len(s.IDs) > 0 && !slices.Contains(s.IDs, it.ID) {
		return false
	}
	if s.Time != nil && !s.Time.Overlaps(it.Start, it.End) {
		return false
	}
	if s.area != nil && !s.meets(it) {
		return false
	}
	return s.filter == nil || s.filter.test(it) == yes
}

// meets tests the geometry: cheaply by boxes where they decide.
func (s *Search) meets(it *Item) bool {
	if !it.HasGeometry() || !it.Geometry.Box().Intersects(s.area.Box()) {
		return false
	}
	if s.Box != nil && s.Box.Covers(it.Geometry.Box()) {
		return true
	}
	return it.Geometry.Intersects(*s.area)
}

// plain reports whether nothing but collections narrows the hits.
func (s *Search) plain() bool {
	return len(s.IDs) == 0 && s.Time == nil && s.area == nil && s.filter == nil
}

// Page is one page of hits.
type Page struct {
	Items   []*Item
	More    bool // a next page has hits
	Matched int  // hits in all pages; -1 when counting them would cost more than the page
}

// next returns the token of the page after this one.
func (p *Page) next(s *Search) string { return cursorOf(s.order, p.Items[len(p.Items)-1]).token() }

// collector keeps the first hits behind the cursor, in order.
type collector struct {
	search *Search
	kept   []*Item // sorted, at most Limit+1
	seen   int     // hits, before the cursor too
}

// add takes a hit.
func (c *collector) add(it *Item) {
	c.seen++
	s := c.search
	if s.after != nil && !s.after.before(s.order, it) {
		return
	}
	full := len(c.kept) > s.Limit
	if full && c.compare(it, c.kept[len(c.kept)-1]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(c.kept, it, c.compare)
	if full {
		c.kept = c.kept[:len(c.kept)-1]
	}
	c.kept = slices.Insert(c.kept, at, it)
}

func (c *collector) compare(a, b *Item) int {
	if c.search.standard {
		return compareDefault(a, b)
	}
	return compareItems(c.search.order, a, b)
}

// full reports whether a source that yields items in order has nothing to add to the page.
func (c *collector) full() bool { return len(c.kept) > c.search.Limit }

func (c *collector) page(matched int) Page {
	p := Page{Items: c.kept, Matched: matched}
	if c.full() {
		p.Items, p.More = c.kept[:c.search.Limit], true
	}
	return p
}
