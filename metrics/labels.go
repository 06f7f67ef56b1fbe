package metrics

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// DefaultMaxLabels is how many labels a [Collector] keeps apart unless told otherwise.
const DefaultMaxLabels = 1000

// OtherLabel is the label under which everything beyond the limit is counted.
const OtherLabel = "(other)"

// maxLabelLength bounds a label in bytes: one made from a response may be of any size.
const maxLabelLength = 1024

// labelTable interns labels. Looking a known one up takes a read lock and does not allocate.
type labelTable struct {
	limit int

	mu    sync.RWMutex // guards what follows
	names []labelName
	ids   map[labelGroup]map[string]LabelID
	over  bool
}

type labelGroup struct {
	execution string
	kind      Kind
}

type labelName struct {
	labelGroup
	label string
}

// Label returns the number of a label of an execution, made on first use. When the limit is reached, new ones get the number of
// "(other)" of that execution and kind. Callers keep the number where the label is fixed. Safe for concurrent use.
func (c *Collector) Label(execution string, kind Kind, name string) LabelID {
	t := &c.labels
	group := labelGroup{execution, kind}
	t.mu.RLock()
	id, ok := t.ids[group][name]
	t.mu.RUnlock()
	if ok {
		return id
	}
	return t.add(group, name)
}

// LabelBytes is [Collector.Label] for a label that lies in a buffer.
func (c *Collector) LabelBytes(execution string, kind Kind, name []byte) LabelID {
	t := &c.labels
	group := labelGroup{execution, kind}
	t.mu.RLock()
	id, ok := t.ids[group][string(name)] // does not copy
	t.mu.RUnlock()
	if ok {
		return id
	}
	return t.add(group, string(name))
}

// LabelName returns what was given to [Collector.Label].
func (c *Collector) LabelName(id LabelID) (execution, label string, kind Kind) {
	return c.labels.name(id)
}

// Overflowed says whether the limit of labels was ever reached.
func (c *Collector) Overflowed() bool {
	c.labels.mu.RLock()
	defer c.labels.mu.RUnlock()
	return c.labels.over
}

func (t *labelTable) name(id LabelID) (execution, label string, kind Kind) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if int(id) >= len(t.names) {
		return "", "", RequestKind
	}
	n := t.names[id]
	return n.execution, n.label, n.kind
}

// sortCells brings numbers of cells, 2·[LabelID] and one more for warm-up, into the order of their rows.
func (t *labelTable) sortCells(cells []uint32) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	key := func(cell uint32) rowKey {
		n := &t.names[cell/2]
		return rowKey{n.execution, n.label, n.kind, cell&1 == 1}
	}
	slices.SortFunc(cells, func(a, b uint32) int { return key(a).compare(key(b)) })
}

func (t *labelTable) add(group labelGroup, name string) LabelID {
	name = cut(name, maxLabelLength)
	t.mu.Lock()
	defer t.mu.Unlock()
	group.execution = strings.Clone(group.execution)
	if t.ids == nil {
		t.ids = map[labelGroup]map[string]LabelID{}
	}
	ids := t.ids[group]
	if ids == nil {
		ids = map[string]LabelID{}
		t.ids[group] = ids
	}
	if id, ok := ids[name]; ok {
		return id
	}
	if len(t.names) >= t.limit {
		t.over = true
		name = OtherLabel
		if id, ok := ids[name]; ok {
			return id
		}
	}
	id := LabelID(len(t.names))
	name = strings.Clone(name)
	t.names = append(t.names, labelName{group, name})
	ids[name] = id
	return id
}

// cut shortens a text to at most limit bytes, at the start of a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
