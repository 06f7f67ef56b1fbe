package final

import (
	"testing"

	"github.com/stacrun/stacrun/metrics"
)

// The mean of the first byte is over those that were answered, and says so when that was not all.
func TestFirstByte(t *testing.T) {
	var s metrics.Series
	if got := firstByte(&s, 3); got != ", no answer" {
		t.Errorf("got %q", got)
	}
	s.Record(15e6)
	s.Record(15e6)
	if got := firstByte(&s, 2); got != ", first byte 15ms" {
		t.Errorf("got %q", got)
	}
	if got := firstByte(&s, 5); got != ", first byte 15ms (of the 2 that were answered)" {
		t.Errorf("got %q", got)
	}
}
