package report

import (
	"strings"
	"testing"
)

// A spare column goes before a label is cut for it; others only where labels have hardly any room.
func TestSpareColumnsGoBeforeLabelsAreCut(t *testing.T) {
	const label = "a label of twenty-six signs"
	for _, tt := range []struct {
		spare bool
		width int
		want  string
	}{
		{true, 48, label + "     1    2ms  12 MB"},
		{true, 46, label + "     1    2ms"},
		{false, 46, "a label of twenty-six si…      1    2ms  12 MB"},
	} {
		table := Table{
			Columns: []Column{{Title: "label"}, {Title: "count"}, {Title: "p95ms"}, {Title: "in", Drop: 1, Spare: tt.spare}},
			Rows:    [][]string{{label, "1", "2ms", "12 MB"}},
		}
		if got := table.Lines(tt.width)[1]; strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(tt.want), " ") {
			t.Errorf("spare %v, width %d: %q, want %q", tt.spare, tt.width, got, tt.want)
		}
	}
}
