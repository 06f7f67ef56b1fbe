package metrics

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestIntervalsFromBeforeThroughputs reads a frame that was written when loads did not hold the requests of a throughput cap.
func TestIntervalsFromBeforeThroughputs(t *testing.T) {
	frame, err := hex.DecodeString("a55f000000d4f200010300046f70656e0173060004000002010600000000000014400100000a08000008000002000206000000000000004000040400000000120e0000000000000000000000000000000000000000000000000000000000000000000000000038cac898")
	if err != nil {
		t.Fatal(err)
	}
	iv, _, err := NewCodec().Decode(frame)
	if err != nil {
		t.Fatal(err)
	}
	want := []Load{
		{Execution: "open", Open: true, Second: 3, Planned: 5, Scheduled: 5, Started: 4, Dropped: [DropCount]int64{1}, RequestsStarted: 4},
		{Execution: "s", Second: 3, Planned: 2, Users: 2, UsersPeak: 2, Throttled: 7, RequestsStarted: 9},
	}
	if diff := cmp.Diff(want, iv.Load); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestIntervalsFromBeforeTheEndsOfTheWarmUp reads a frame that was written when the part of the warm-up did not tell what became of its iterations.
func TestIntervalsFromBeforeTheEndsOfTheWarmUp(t *testing.T) {
	frame, err := hex.DecodeString("a54d000000686000010200046f70656e060004000001010600000000000014400500000a0806000800000200040200000200000000000000000000000000000000000000000000000000000000000000000000001ac63e51")
	if err != nil {
		t.Fatal(err)
	}
	iv, _, err := NewCodec().Decode(frame)
	if err != nil {
		t.Fatal(err)
	}
	want := []Load{{
		Execution: "open", Open: true, Second: 3, Planned: 5, Scheduled: 5, Started: 4, Finished: 3, Dropped: [DropCount]int64{1}, RequestsStarted: 4,
		WarmUp: LoadPart{Scheduled: 2, Started: 1, Dropped: [DropCount]int64{1}},
	}}
	if diff := cmp.Diff(want, iv.Load); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
