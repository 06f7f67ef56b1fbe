package charts

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

// second makes an interval with n requests of one service time; the last ends with the second.
func second(at int64, n int, service time.Duration) *metrics.Interval {
	c := metrics.NewCollector(metrics.CollectorOptions{})
	id := c.Label("e", metrics.RequestKind, "a")
	for i := range n {
		end := at*1e9 + int64(i+1)*1e9/int64(n)
		s := metrics.Sample{Scheduled: end - int64(service), Start: end - int64(service), End: end, Label: id, Status: 200}
		s.DNS, s.Connected, s.TLS, s.Sent, s.FirstByte = s.Start, s.Start, s.Start, s.Start, s.End
		if i == 0 {
			s.Flags |= metrics.WarmUp
		}
		c.Record(&s)
	}
	load := c.Load("e", false)
	load.SetPlanned(float64(n))
	load.UserStarted()
	return c.Swap(at)
}

func TestTimelineKeepsCounts(t *testing.T) {
	for _, seconds := range []int64{1, 2, 199, 200, 201, 480, 481, 961, 3600, 90_000} {
		every := int64(1)
		if seconds > 4000 {
			every = 60 // a long run is told by a sample of its seconds
		}
		line := NewTimeline()
		var want int64
		for at := int64(0); at < seconds; at += every {
			n := int(at%3) + 1
			line.Add(second(at, n, time.Millisecond))
			want += int64(n)
		}
		slots := line.Slots(200)
		var got, warmUp int64
		for i, s := range slots {
			got += s.Total.Finished
			warmUp += s.WarmUp
			if i > 0 && s.Start != slots[i-1].End() {
				t.Fatalf("%d seconds: slot %d begins at %s, the one before ends at %s", seconds, i, s.Start, slots[i-1].End())
			}
		}
		if got != want || warmUp == 0 {
			t.Errorf("%d seconds: %d requests and %d of warm-up in the slots, want %d", seconds, got, warmUp, want)
		}
		if n := len(slots); n > 200 || n > int(seconds) || seconds > 400 && n < 30 {
			t.Errorf("%d seconds: %d slots of %s", seconds, n, slots[0].Width)
		}
	}
}

// TestTimelineOrder adds the same seconds in two orders.
func TestTimelineOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var list []*metrics.Interval
	for at := range int64(700) {
		list = append(list, second(at, r.IntN(5), time.Duration(1+r.IntN(50))*time.Millisecond))
	}
	sum := func() []int64 {
		line := NewTimeline()
		for _, iv := range list {
			line.Add(iv)
		}
		var out []int64
		for _, s := range line.Slots(150) {
			out = append(out, s.Total.Finished, s.Total.Response.Total, int64(s.Total.Response.Quantile(95)), int64(s.Users*1000), int64(s.PlannedUsers*1000))
		}
		return out
	}
	want := sum()
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if diff := cmp.Diff(want, sum()); diff != "" {
		t.Error(diff)
	}
}

func TestTimelinePercentilesAreOfTheSlot(t *testing.T) {
	line := NewTimeline()
	var all metrics.Series
	for at := range int64(600) {
		line.Add(second(at, 1, time.Duration(at+1)*time.Millisecond))
		if at < 4 {
			all.Record((at + 1) * 1e6)
		}
	}
	first := line.Slots(200)[0]
	if first.Width != 4*time.Second {
		t.Fatalf("slots are %s wide, want 4s", first.Width)
	}
	if got, want := first.Total.Response.Quantile(95), all.Quantile(95); got != want {
		t.Errorf("p95 of the first slot is %g, want %g", got, want)
	}
}

func TestTimelineLastSlot(t *testing.T) {
	line := NewTimeline()
	line.Add(second(0, 10, time.Millisecond))
	iv := second(1, 10, time.Millisecond)
	for i := range iv.Rows {
		iv.Rows[i].LastEnd = 1.25e9 // the run ended within the second
	}
	line.Add(iv)
	slots := line.Slots(10)
	rate, ok := slots[1].Rate(slots[1].Total.Finished)
	if want := 40.0; !ok || rate != want {
		t.Errorf("rate of the last quarter of a second is %g (%t), want %g", rate, ok, want)
	}
	line.Add(&metrics.Interval{Second: 2, Load: []metrics.Load{{Execution: "e", Second: 2}}, Final: true})
	if n := len(line.Slots(10)); n != 2 {
		t.Errorf("%d slots, want 2: nothing happened in the last interval", n)
	}
	line.Add(&metrics.Interval{Second: 5, Load: []metrics.Load{{Execution: "e", Second: 5, Users: 3}}})
	if n := len(line.Slots(10)); n != 6 {
		t.Errorf("%d slots, want 6: users that wait for an answer are a part of the run", n)
	}
	if _, ok := (&Slot{Width: time.Millisecond}).Rate(1); ok {
		t.Error("a rate is told of a millisecond")
	}
	if NewTimeline().Slots(10) != nil {
		t.Error("slots of nothing")
	}
}
