package criteria

import (
	"testing"

	"github.com/stacrun/stacrun/metrics"
)

func TestQuotedLabelIsExplained(t *testing.T) {
	labels := Labels{Labels: []Label{{Name: "coll", Kind: metrics.RequestKind}}}
	if got, want := labels.hint("", `"coll"`), "leave the quotes out: labels are written as they are, coll"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
