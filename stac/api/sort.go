package api

import (
	"cmp"
	"strings"
)

// sortKey is one criterion of an order.
type sortKey struct {
	property
	descending bool
}

// defaultOrder is newest first, the order of the API when none is asked for.
func defaultOrder() []sortKey {
	return []sortKey{{property{"datetime"}, true}, {property{"id"}, true}, {property{"collection"}, true}}
}

// newOrder completes an order so that no two items are equal in it; keys beyond that are dropped.
func newOrder(keys []sortKey) []sortKey {
	if len(keys) == 0 {
		return defaultOrder()
	}
	for _, last := range []string{"id", "collection"} {
		found := false
		for _, k := range keys {
			found = found || k.name == last
		}
		if !found {
			keys = append(keys, sortKey{property: property{last}})
		}
	}
	return keys
}

// parseSortField reads a field name, which must not be one of an item's structures.
func parseSortField(name string) (property, *Error) {
	p := parseProperty(name)
	switch p.name {
	case "", "geometry", "bbox", "assets", "links", "properties", "type", "stac_version", "stac_extensions":
		return p, badParameter("sortby: items cannot be sorted by %q", name)
	}
	return p, nil
}

// parseSortText reads the GET form, "-properties.datetime,+id"; a plus that was not encoded arrives as a space.
func parseSortText(s string) ([]sortKey, *Error) {
	var keys []sortKey
	for field := range strings.SplitSeq(s, ",") {
		descending := strings.HasPrefix(field, "-")
		if descending || strings.HasPrefix(field, "+") || strings.HasPrefix(field, " ") {
			field = field[1:]
		}
		p, err := parseSortField(strings.TrimSpace(field))
		if err != nil {
			return nil, err
		}
		keys = append(keys, sortKey{p, descending})
	}
	return keys, nil
}

// compareValues compares the values of one key; null comes last in both directions.
func (k sortKey) compareValues(a, b value) int {
	switch {
	case a.kind == kindNull || b.kind == kindNull:
		return -cmp.Compare(min(a.kind, 1), min(b.kind, 1))
	case k.descending:
		return b.compare(a)
	}
	return a.compare(b)
}

// compareItems orders two items.
func compareItems(order []sortKey, a, b *Item) int {
	for _, k := range order {
		if c := k.compareValues(k.of(a), k.of(b)); c != 0 {
			return c
		}
	}
	return 0
}

// compareDefault is compareItems in the default order, without looking anything up.
func compareDefault(a, b *Item) int {
	return cmp.Or(cmp.Compare(b.Datetime, a.Datetime), strings.Compare(b.ID, a.ID), strings.Compare(b.Collection, a.Collection))
}
