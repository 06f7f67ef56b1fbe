package statsd

import (
	"context"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	plainLine = regexp.MustCompile(`^([a-zA-Z0-9_.-]+):([0-9.]+)\|([cg])$`)
	dogLine   = regexp.MustCompile(`^([a-z0-9_.]+):([0-9.]+)\|([cg])(\|#[a-z_]+:[^,|#\n]*(,[a-z_]+:[^,|#\n]*)*)?$`)
)

// receive runs a reporter against a socket and gives the sums of counters and the last gauges.
func receive(t *testing.T, o Options, line *regexp.Regexp) map[string]float64 {
	t.Helper()
	socket, err := new(net.ListenConfig).ListenPacket(context.Background(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	o.Address = socket.LocalAddr().String()
	outcome := reporttest.Outcome()
	if err := reporttest.Feed(New(o), reporttest.Run(reporttest.Dir), outcome); err != nil {
		t.Fatal(err)
	}
	if len(outcome.Notices) > 0 {
		t.Error(outcome.Notices)
	}
	values := map[string]float64{}
	buffer := make([]byte, 65536)
	for {
		_ = socket.SetReadDeadline(time.Now().Add(100 * time.Millisecond)) // everything was sent before: it is here
		n, _, err := socket.ReadFrom(buffer)
		if err != nil {
			return values
		}
		if n > packetSize {
			t.Errorf("a packet of %d bytes", n)
		}
		for _, text := range strings.Split(string(buffer[:n]), "\n") {
			parts := line.FindStringSubmatch(text)
			if parts == nil {
				t.Errorf("not a line of StatsD: %q", text)
				continue
			}
			v, err := strconv.ParseFloat(parts[2], 64)
			if err != nil {
				t.Error(err)
			}
			name := parts[1]
			if len(parts) > 4 {
				name += parts[4]
			}
			if parts[3] == "c" {
				v += values[name]
			}
			values[name] = v
		}
	}
}

func TestPlain(t *testing.T) {
	got := receive(t, Options{Prefix: "load.test."}, plainLine)
	row := reporttest.Snapshot(reporttest.Intervals()).Label("browse", "GET /search")
	last := reporttest.Intervals()[9].Row("browse", metrics.RequestKind, "GET /search")
	for name, want := range map[string]float64{
		"load.test.request.browse.GET__search.count":                float64(row.Finished),
		"load.test.request.browse.GET__search.failures":             float64(row.Failed),
		"load.test.request.browse.GET__search.faults.reset":         float64(row.Failed),
		"load.test.request.browse.GET__search.codes.200":            float64(row.Codes[200]),
		"load.test.request.browse.GET__search.bytes_received":       float64(row.BytesIn),
		"load.test.request.browse.GET__search.response_time_ms.p95": last.Response.Quantile(95) / 1e6,
		"load.test.warm_up.request.browse.GET__search.count":        1,
		"load.test.request.browse.____ber.count":                    10,
		"load.test.transaction.browse.visit.count":                  10,
		"load.test.users.browse":                                    4,
		"load.test.iterations.browse.started":                       30,
		"load.test.generator.cpu_share":                             0.25,
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestDog(t *testing.T) {
	got := receive(t, Options{Dog: true, Tags: map[string]string{"env": "a|b"}}, dogLine)
	for name, want := range map[string]float64{
		"stacrun.request.count|#env:a_b,execution:browse,label:GET /search":                100,
		"stacrun.request.count|#env:a_b,execution:browse,label:landing_ \"root\"":          20,
		"stacrun.request.codes|#env:a_b,execution:browse,label:landing_ \"root\",code:404": 10,
		"stacrun.generator.cpu_share|#env:a_b":                                             0.25,
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
}

func TestNobodyListens(t *testing.T) {
	socket, err := new(net.ListenConfig).ListenPacket(context.Background(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := socket.LocalAddr().String()
	socket.Close()
	o := reporttest.Outcome()
	if err := reporttest.Feed(New(Options{Address: address}), reporttest.Run(reporttest.Dir), o); err != nil {
		t.Fatal(err)
	}
	if len(o.Notices) != 1 || !strings.Contains(o.Notices[0], "of 10 seconds were not delivered") {
		t.Error(o.Notices)
	}
}

// A capped load also tells what the cap let begin and what began; another one does not.
func TestCappedLoad(t *testing.T) {
	s := New(Options{Prefix: "stacrun"})
	got := s.lines(&metrics.Interval{Load: []metrics.Load{
		{Execution: "cap", RequestsPlanned: 20, RequestsAdmitted: 15, RequestsStarted: 15}, {Execution: "free", RequestsStarted: 5},
	}})
	var requests []string
	for _, line := range got {
		if strings.Contains(line, ".requests.") {
			requests = append(requests, line)
		}
	}
	if diff := cmp.Diff([]string{"stacrun.requests.cap.planned:20|c", "stacrun.requests.cap.admitted:15|c"}, requests); diff != "" {
		t.Error(diff)
	}
}

// What fell due in the warm-up has names of its own, as its requests do.
func TestWarmUpOfALoad(t *testing.T) {
	iv := &metrics.Interval{Load: []metrics.Load{{
		Execution: "open", Open: true, Scheduled: 10, Started: 6, Finished: 5, Interrupted: 1, Dropped: [metrics.DropCount]int64{4}, RequestsStarted: 9, RequestsPlanned: 8, RequestsAdmitted: 7,
		Throttled: 3e9,
		WarmUp: metrics.LoadPart{
			Scheduled: 5, Started: 2, Finished: 1, Interrupted: 1, Dropped: [metrics.DropCount]int64{3}, RequestsStarted: 3, RequestsPlanned: 4,
			RequestsAdmitted: 1, Throttled: 1e9,
		},
	}}}
	var got []string
	for _, line := range (&StatsD{options: Options{Prefix: "s"}}).lines(iv) {
		if strings.HasSuffix(line, "|c") {
			got = append(got, line)
		}
	}
	want := []string{
		"s.iterations.open.scheduled:5|c", "s.iterations.open.started:4|c", "s.iterations.open.finished:4|c", "s.requests.open.planned:4|c", "s.requests.open.admitted:6|c",
		"s.iterations.open.dropped.waited-too-long:1|c",
		"s.warm_up.iterations.open.scheduled:5|c", "s.warm_up.iterations.open.started:2|c", "s.warm_up.iterations.open.finished:1|c",
		"s.warm_up.iterations.open.interrupted:1|c", "s.warm_up.requests.open.planned:4|c",
		"s.warm_up.requests.open.admitted:1|c", "s.warm_up.iterations.open.dropped.waited-too-long:3|c",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
