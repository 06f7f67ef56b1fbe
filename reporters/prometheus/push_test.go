package prometheus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stacrun/stacrun/internal/ports"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// store is a receiver of version 2 by Prometheus' own handler, which is strict about headers.
type store struct {
	refuseNative bool
	mu           sync.Mutex
	last         map[string]float64 // by labels; count of native histograms
	natives      int
	pushes       int
}

func (s *store) Store(req *http.Request, kind remote.WriteMessageType) (*remote.WriteResponse, error) {
	answer := remote.NewWriteResponse()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return answer, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pushes++
	var message writev2.Request
	if err := message.UnmarshalVT(body); err != nil || kind != remote.WriteV2MessageType {
		answer.SetStatusCode(http.StatusBadRequest)
		return answer, fmt.Errorf("%s: %w", kind, err)
	}
	stats := remote.WriteResponseStats{}
	for _, ts := range message.Timeseries {
		var name []string
		for i := 0; i < len(ts.LabelsRefs); i += 2 {
			name = append(name, message.Symbols[ts.LabelsRefs[i]]+"="+message.Symbols[ts.LabelsRefs[i+1]])
		}
		if !slices.IsSorted(name) || ts.Metadata == nil || message.Symbols[ts.Metadata.HelpRef] == "" {
			answer.SetStatusCode(http.StatusBadRequest)
			return answer, fmt.Errorf("series %v with metadata %v", name, ts.Metadata)
		}
		if len(ts.Histograms) > 0 && s.refuseNative {
			answer.SetStatusCode(http.StatusBadRequest)
			return answer, errors.New("native histograms are disabled")
		}
		for _, sample := range ts.Samples {
			stats.Samples++
			s.last[strings.Join(name, ",")] = sample.Value
		}
		for _, h := range ts.Histograms {
			stats.Histograms++
			s.natives++
			s.last[strings.Join(name, ",")] = float64(h.GetCountInt())
		}
	}
	answer.SetStatusCode(http.StatusNoContent)
	answer.Add(stats)
	return answer, nil
}

func push(t *testing.T, handler http.Handler, o Options) *report.Outcome {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	o.RemoteWrite = address(t, server.URL+"/api/v1/write")
	p := New(o)
	feed(t, p, reporttest.Run(reporttest.Dir))
	outcome := reporttest.Outcome()
	if err := p.End(outcome); err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestRemoteWriteVersion2(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		s := &store{last: map[string]float64{}, refuseNative: refuse}
		o := push(t, remote.NewWriteHandler(s, remote.MessageTypes{remote.WriteV2MessageType}), Options{Labels: map[string]string{"instance": "here"}})
		if len(o.Notices) > 0 {
			t.Error(o.Notices)
		}
		const labels = ",execution=browse,instance=here,job=stacrun,label=GET /search,warm_up=false"
		for name, want := range map[string]float64{
			"__name__=stacrun_requests_total,code=200" + labels:                                                  95,
			"__name__=stacrun_request_failures_total" + labels:                                                   5,
			"__name__=stacrun_users,execution=browse,instance=here,job=stacrun":                                  4,
			"__name__=stacrun_request_response_time_seconds_count" + labels:                                      100,
			"__name__=stacrun_request_response_time_seconds_sum" + labels:                                        5.5,
			"__name__=stacrun_iterations_started_total,execution=browse,instance=here,job=stacrun,warm_up=false": 30,
		} {
			if s.last[name] != want {
				t.Errorf("%s: %v, want %v", name, s.last[name], want)
			}
		}
		if got := s.last["__name__=stacrun_request_response_time_seconds"+labels]; (got == 100) == refuse || (s.natives > 0) == refuse {
			t.Errorf("native histogram of %v values, refused: %v", got, refuse)
		}
		if t.Failed() {
			t.Log(strings.Join(slices.Sorted(maps.Keys(s.last)), "\n"))
		}
	}
}

// TestRemoteWriteVersion1 is a receiver that takes a message of version 2 for an empty one, as
// Prometheus 2.42 does: it answers with success, but without the headers that confirm it.
func TestRemoteWriteVersion1(t *testing.T) {
	var mu sync.Mutex
	series := map[string]int{}
	decode := remote.SnappyDecodeMiddleware(nil)
	o := push(t, decode(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		for len(body) > 0 {
			field, kind, n := protowire.ConsumeTag(body)
			m := protowire.ConsumeFieldValue(field, kind, body[n:])
			if m < 0 {
				t.Errorf("not a message: %v", protowire.ParseError(m))
				return
			}
			if field == 1 {
				series[r.Header.Get("X-Prometheus-Remote-Write-Version")]++
			}
			body = body[n+m:]
		}
		w.WriteHeader(http.StatusNoContent)
	})), Options{})
	if len(o.Notices) > 0 || series["2.0.0"] != 0 || series["0.1.0"] < 100 {
		t.Errorf("%v %v", o.Notices, series)
	}
}

func TestRemoteWriteThatIsRefused(t *testing.T) {
	o := push(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "who are you", http.StatusUnauthorized)
	}), Options{})
	if len(o.Notices) != 1 || !strings.Contains(o.Notices[0], "were not delivered: status 401 Unauthorized: who are you") {
		t.Error(o.Notices)
	}
}

func TestRemoteWriteToTheDead(t *testing.T) {
	hanging, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0") // connects, but nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer hanging.Close()
	for _, receiver := range []string{ports.Dead(t), hanging.Addr().String()} {
		p := New(Options{RemoteWrite: address(t, "http://"+receiver+"/secret"), Timeout: 200 * time.Millisecond})
		feed(t, p, reporttest.Run(reporttest.Dir))
		o := reporttest.Outcome()
		if err := p.End(o); err != nil {
			t.Error(err)
		}
		if len(o.Notices) != 1 || !strings.Contains(o.Notices[0], "pushes were not delivered") || strings.Contains(o.Notices[0], "secret") {
			t.Error(o.Notices)
		}
	}
}
