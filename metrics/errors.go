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
	out := make([]ErrorText, 0, len(counts)+1)
	for key, n := range counts {
		execution, label, _ := labels.name(key.label)
		out = append(out, ErrorText{
			Execution: execution, Label: label, Fault: key.fault, Code: int(key.status), WarmUp: key.warmUp,
			Text: strings.ToValidUTF8(key.text, "\uFFFD"), Count: n,
		})
	}
	if others > 0 {
		out = append(out, ErrorText{Text: OtherErrors, Count: others})
	}
	return out
}
