package criteria

import (
	"slices"
	"strings"
	"time"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
)

// Labels is what a plan can produce: criteria that ask for anything else are mistakes.
type Labels struct {
	Executions []Execution
	Labels     []Label // requests, transactions and iterations
	Hidden     []Label // inside transactions of which only the sum is reported: for hints
}

// Execution is an execution of the plan.
type Execution struct {
	Name     string
	Open     bool          // it has an arrival rate
	Capped   bool          // it has a throughput cap and no arrival rate
	Measured time.Duration // from the end of its warm-up to the end of its plan; 0: unlimited, or not known before the run
}

// Label is one label of a plan. In a Dynamic one each ${…} stands for any text.
type Label struct {
	Execution string
	Name      string
	Kind      metrics.Kind
	Dynamic   bool
}

// find returns the kind under which the label is judged: requests before transactions, iterations
// and resources, since one name may be used for several. An empty execution means any.
func (l Labels) find(execution, name string) (metrics.Kind, bool) {
	kind, found := metrics.Kind(0), false
	for _, label := range l.Labels {
		if execution != "" && label.Execution != execution || !label.matches(name) {
			continue
		}
		if !found || label.Kind < kind {
			kind, found = label.Kind, true
		}
	}
	return kind, found
}

// names lists the labels that can be written down, for suggestions.
func (l Labels) names(execution string) []string {
	var names []string
	for _, label := range l.Labels {
		if !label.Dynamic && (execution == "" || label.Execution == execution) && !slices.Contains(names, label.Name) {
			names = append(names, label.Name)
		}
	}
	return names
}

func (l Labels) execution(name string) (Execution, bool) {
	i := slices.IndexFunc(l.Executions, func(e Execution) bool { return e.Name == name })
	if i < 0 {
		return Execution{}, false
	}
	return l.Executions[i], true
}

// hint says what to write instead of a label that no request produces.
func (l Labels) hint(execution, name string) string {
	for _, label := range l.Hidden {
		if label.matches(name) && (execution == "" || label.Execution == execution) {
			return "it stands in a transaction with force-parent-sample, of which only the sum is reported: name the transaction, or write force-parent-sample: false"
		}
	}
	names := l.names(execution)
	if bare := strings.Trim(name, `"'`); bare != name && slices.Contains(names, bare) {
		return "leave the quotes out: labels are written as they are, " + bare
	}
	if hint := diag.DidYouMean(name, names); hint != "" {
		return hint
	}
	for _, other := range names {
		if strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(other)) {
			return "did you mean " + quote(other) + "?"
		}
	}
	if len(names) == 0 {
		return "the plan has no label of that kind"
	}
	const most = 8
	shown := make([]string, 0, most)
	for _, other := range names[:min(most, len(names))] {
		shown = append(shown, quote(diag.Shorten(other, 60)))
	}
	more := ""
	if len(names) > most {
		more = ", …"
	}
	return "the labels of this plan are " + strings.Join(shown, ", ") + more
}

func (l Label) matches(name string) bool {
	if !l.Dynamic {
		return l.Name == name
	}
	return matchPieces(literalPieces(l.Name), name)
}

// literalPieces cuts a label at its ${…} into the texts between them; braces nest.
func literalPieces(label string) []string {
	var pieces []string
	var piece strings.Builder
	for i := 0; i < len(label); i++ {
		switch {
		case strings.HasPrefix(label[i:], "$${"):
			piece.WriteString("${")
			i += 2
		case strings.HasPrefix(label[i:], "${"):
			depth, end := 0, len(label)-1
			for j := i + 1; j < len(label); j++ {
				if label[j] == '{' {
					depth++
				} else if label[j] == '}' {
					if depth--; depth == 0 {
						end = j
						break
					}
				}
			}
			pieces = append(pieces, piece.String())
			piece.Reset()
			i = end
		default:
			piece.WriteByte(label[i])
		}
	}
	return append(pieces, piece.String())
}

// matchPieces reports whether name is the pieces in order with any text between them.
func matchPieces(pieces []string, name string) bool {
	first, last := pieces[0], pieces[len(pieces)-1]
	if len(pieces) == 1 {
		return name == first
	}
	if !strings.HasPrefix(name, first) {
		return false
	}
	name = name[len(first):]
	if !strings.HasSuffix(name, last) {
		return false
	}
	name = name[:len(name)-len(last)]
	for _, piece := range pieces[1 : len(pieces)-1] {
		at := strings.Index(name, piece)
		if at < 0 {
			return false
		}
		name = name[at+len(piece):]
	}
	return true
}

func quote(s string) string { return "\"" + s + "\"" }
