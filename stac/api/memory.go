package api

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/stacrun/stacrun/stac/geo"
	"github.com/tidwall/rtree"
)

// Memory is a [Store] in memory with an R-tree over the boxes of each collection.
type Memory struct {
	mu    sync.RWMutex
	parts map[string]*part // guarded by mu
}

// part is one collection and its items.
type part struct {
	collection *Collection
	items      map[string]*Item
	ordered    ordered
	boxes      rtree.RTreeGN[float64, *Item]
	// How far an item reaches beyond its datetime, at most: with it a span of time is a stretch of ordered.
	back, ahead int64
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{parts: map[string]*part{}} }

var _ Store = (*Memory)(nil)

// Close does nothing.
func (m *Memory) Close() error { return nil }

// Collections implements [Store].
func (m *Memory) Collections(context.Context) ([]*Collection, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	list := make([]*Collection, 0, len(m.parts))
	for _, id := range slices.Sorted(maps.Keys(m.parts)) {
		list = append(list, m.parts[id].collection)
	}
	return list, nil
}

// Collection implements [Store].
func (m *Memory) Collection(_ context.Context, id string) (*Collection, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	p, ok := m.parts[id]
	if !ok {
		return nil, noCollection(id)
	}
	return p.collection, nil
}

// PutCollection implements [Store].
func (m *Memory) PutCollection(_ context.Context, c *Collection, mode Mode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, exists := m.parts[c.ID]
	switch {
	case exists && mode == Create:
		return conflict("collection %q already exists", c.ID)
	case !exists && mode == Replace:
		return noCollection(c.ID)
	case !exists:
		p = &part{items: map[string]*Item{}}
		m.parts[c.ID] = p
	}
	p.collection = c
	return nil
}

// DeleteCollection implements [Store].
func (m *Memory) DeleteCollection(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.parts[id]; !ok {
		return noCollection(id)
	}
	delete(m.parts, id)
	return nil
}

// Item implements [Store].
func (m *Memory) Item(_ context.Context, collection, id string) (*Item, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	p, ok := m.parts[collection]
	if !ok {
		return nil, noCollection(collection)
	}
	it, ok := p.items[id]
	if !ok {
		return nil, noItem(collection, id)
	}
	return it, nil
}

// PutItems implements [Store].
func (m *Memory) PutItems(_ context.Context, collection string, items []*Item, mode Mode) (skipped []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.parts[collection]
	if !ok {
		return nil, noCollection(collection)
	}
	for _, it := range items { // nothing is written before all is known to be allowed
		_, exists := p.items[it.ID]
		switch {
		case exists && mode == Create:
			return nil, conflict("item %q already exists in collection %q", it.ID, collection)
		case !exists && mode == Replace:
			return nil, noItem(collection, it.ID)
		}
	}
	for _, it := range items {
		old, exists := p.items[it.ID]
		if exists && mode == CreateMissing {
			skipped = append(skipped, it.ID)
			continue
		}
		if exists {
			p.remove(old)
		}
		p.insert(it)
	}
	return skipped, nil
}

// DeleteItem implements [Store].
func (m *Memory) DeleteItem(_ context.Context, collection, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.parts[collection]
	if !ok {
		return noCollection(collection)
	}
	it, ok := p.items[id]
	if !ok {
		return noItem(collection, id)
	}
	p.remove(it)
	return nil
}

// Count implements [Store].
func (m *Memory) Count(_ context.Context, collection string) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	p, ok := m.parts[collection]
	if !ok {
		return 0, noCollection(collection)
	}
	return p.ordered.count, nil
}

func corners(b geo.Box) (low, high [2]float64) {
	return [2]float64{b.West, b.South}, [2]float64{b.East, b.North}
}

func (p *part) insert(it *Item) {
	p.items[it.ID] = it
	p.ordered.insert(it)
	p.back, p.ahead = max(p.back, it.Datetime-it.Start), max(p.ahead, it.End-it.Datetime)
	if it.HasGeometry() {
		low, high := corners(it.Geometry.Box())
		p.boxes.Insert(low, high, it)
	}
}

func (p *part) remove(it *Item) {
	delete(p.items, it.ID)
	p.ordered.remove(it)
	if it.HasGeometry() {
		low, high := corners(it.Geometry.Box())
		p.boxes.Delete(low, high, it)
	}
}

// Search implements [Store].
func (m *Memory) Search(_ context.Context, s *Search) (Page, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	all := &collector{search: s}
	matched := 0
	for _, p := range m.chosen(s) {
		one := &collector{search: s}
		count := p.search(s, one)
		for _, it := range one.kept {
			all.add(it)
		}
		if matched >= 0 && count >= 0 {
			matched += count
		} else {
			matched = -1
		}
	}
	return all.page(matched), nil
}

// chosen returns the collections that the search speaks of, each once.
func (m *Memory) chosen(s *Search) []*part {
	if len(s.Collections) == 0 {
		return slices.Collect(maps.Values(m.parts))
	}
	var parts []*part
	for _, id := range s.Collections {
		if p, ok := m.parts[id]; ok && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	return parts
}

// search collects the hits of one collection and returns their number, or -1 when it did not count all.
// It takes the narrowest way: by id, by the R-tree where few boxes are met, along the order else.
func (p *part) search(s *Search, c *collector) int {
	switch {
	case len(s.IDs) > 0:
		for _, id := range slices.Compact(slices.Sorted(slices.Values(s.IDs))) {
			if it, ok := p.items[id]; ok && s.Matches(it) {
				c.add(it)
			}
		}
		return c.seen
	case s.area != nil:
		if near, ok := p.near(s, countBudget); ok {
			for _, it := range near {
				if s.Matches(it) {
					c.add(it)
				}
			}
			return c.seen
		}
	}
	if !s.standard {
		for it := range p.ordered.from(p.latest(s)) {
			if p.past(s, it) {
				break
			}
			if s.Matches(it) {
				c.add(it)
			}
		}
		return c.seen
	}
	return p.walk(s, c)
}

// near returns the items whose boxes meet the search's area, unless they are more than most.
func (p *part) near(s *Search, most int) ([]*Item, bool) {
	var list []*Item
	low, high := corners(s.area.Box())
	if s.Box != nil && s.Box.Crosses() {
		low, high = corners(geo.Box{West: -180, South: s.Box.South, East: 180, North: s.Box.North})
	}
	p.boxes.Search(low, high, func(_, _ [2]float64, it *Item) bool {
		list = append(list, it)
		return len(list) <= most
	})
	return list, len(list) <= most
}

// latest returns an imaginary item before all that can lie in the search's span of time; nil: the first.
func (p *part) latest(s *Search) *Item {
	if s.Time == nil || s.Time.To > openTo-p.back {
		return nil
	}
	return &Item{Datetime: s.Time.To + p.back, ID: lastID, Collection: lastID}
}

// lastID sorts behind every id, so first in the default, descending order.
const lastID = "\U0010FFFF\U0010FFFF"

// past reports whether no item from here on can lie in the search's span of time.
func (p *part) past(s *Search, it *Item) bool {
	return s.Time != nil && s.Time.From > openFrom+p.ahead && it.Datetime < s.Time.From-p.ahead
}

// walk goes along the default order, which is the search's own, until the page is full, and then on to
// count while that is cheap.
func (p *part) walk(s *Search, c *collector) int {
	start := p.latest(s)
	counting := p.ordered.count <= countBudget && !s.plain()
	if s.after != nil && !counting {
		behind := &Item{Datetime: s.after[0].time, ID: s.after[1].text, Collection: s.after[2].text}
		if start == nil || compareDefault(behind, start) > 0 {
			start = behind
		}
	}
	for it := range p.ordered.from(start) {
		if p.past(s, it) {
			break
		}
		if !s.Matches(it) {
			continue
		}
		if c.full() {
			if !counting {
				break
			}
			c.seen++
			continue
		}
		c.add(it)
	}
	switch {
	case s.plain():
		return p.ordered.count
	case counting || s.after == nil && !c.full():
		return c.seen
	}
	return -1
}
