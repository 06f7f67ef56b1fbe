package metrics

import (
	"strings"
	"sync"
)

const (
	maxErrorTexts  = 100
	maxErrorLength = 200 // bytes
	// OtherErrors is the text under which further distinct texts are counted together.
	OtherErrors = "(others)"
)

// errorTable counts failure texts of the running interval.
type errorTable struct {
	mu     sync.Mutex // guards what follows
	counts map[errorKey]int64
	others int64
}

type errorKey struct {
	label  LabelID
	status uint16
	fault  Fault
	warmUp bool
	text   string
}

func (t *errorTable) add(s *Sample, text string) {
	key := errorKey{s.Label, s.Status, s.Fault, s.Flags&WarmUp != 0, cut(text, maxErrorLength)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.counts[key]; !known {
		if len(t.counts) >= maxErrorTexts {
			t.others++
			return
		}
		if t.counts == nil {
			t.counts = map[errorKey]int64{}
		}
		key.text = strings.Clone(key.text) // the rest of a long text must not be kept alive
	}
	t.counts[key]++
}

// take returns the texts and forgets them.
func (t *errorTable) take(labels *labelTable) []ErrorText {
	t.mu.Lock()
	counts, others := t.counts, t.others
	t.counts, t.others = nil, 0
	t.mu.Unlock()
	if len(counts) == 0 {
		return nil
	}
	// A request and a transaction of one name have different numbers, but are one label in a report.
	sums := make(map[errorTextKey]int64, len(counts))
	for key, n := range counts {
		execution, label, _ := labels.name(key.label)
		sums[errorTextKey{execution, label, key.fault, int(key.status), key.warmUp, strings.ToValidUTF8(key.text, "\uFFFD")}] += n
	}
	out := make([]ErrorText, 0, len(sums)+1)
	for key, n := range sums {
		out = append(out, key.counted(n))
	}
	if others > 0 {
		out = append(out, ErrorText{Text: OtherErrors, Count: others})
	}
	return out
}

// errorTextKey is an [ErrorText] without its count.
type errorTextKey struct {
	execution, label string
	fault            Fault
	code             int
	warmUp           bool
	text             string
}

func (k errorTextKey) counted(n int64) ErrorText {
	return ErrorText{k.execution, k.label, k.fault, k.code, k.warmUp, k.text, n}
}
