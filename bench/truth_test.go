package main

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine"
)

func TestRank(t *testing.T) {
	values := []time.Duration{1, 2, 3, 4}
	for _, tt := range []struct {
		q    float64
		want time.Duration
	}{{0, 1}, {25, 1}, {26, 2}, {50, 2}, {99, 4}, {100, 4}} {
		if got := rank(values, tt.q); got != tt.want {
			t.Errorf("p%g: %d, want %d", tt.q, got, tt.want)
		}
	}
}

func TestBounds(t *testing.T) {
	least, most := bounds([]*line{
		{accepted: 10, ended: 100, visits: []visit{{read: 20, wrote: 25}, {read: 40, wrote: 60}}},
		{accepted: 15, ended: 90},
	}, 5)
	if diff := cmp.Diff([][]time.Duration{{5, 20}, {35, 75}}, [][]time.Duration{least, most}); diff != "" {
		t.Error(diff)
	}
}

func TestFarthest(t *testing.T) {
	starts := []time.Duration{350 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond} // 0, 150 and 250 after the first
	if got := farthest(starts, 0, 400*time.Millisecond, func(at time.Duration) float64 { return 3 }); got != 2 {
		t.Errorf("%v, want 2", got)
	}
}

// The witness counts what it has read and does what it is told.
func TestWitness(t *testing.T) {
	told := []answer{complete, complete, truncate, reset}
	w, err := newWitness(func(n int64, _ time.Duration) (answer, time.Duration) { return told[n], 0 })
	if err != nil {
		t.Fatal(err)
	}
	for i := range told {
		resp, err := http.Post(w.url(), "text/plain", nil)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		if (err == nil) != (told[i] == complete) {
			t.Errorf("request %d: %v", i, err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	visits := 0
	for _, l := range w.end() {
		for _, v := range l.visits {
			visits++
			if v.read < l.accepted || v.wrote < v.read || l.ended < v.wrote {
				t.Errorf("accepted %d, %+v, ended %d", l.accepted, v, l.ended)
			}
		}
	}
	if visits != len(told) || w.served.Load() != int64(len(told)) {
		t.Errorf("%d visits, %d served", visits, w.served.Load())
	}
	if _, err := net.Dial("tcp", w.listener.Addr().String()); err == nil {
		t.Error("it still listens")
	}
}

// What the product is asked is what it accepts, without a warning.
func TestTruthScenario_isAccepted(t *testing.T) {
	tr := &truth{dir: t.TempDir()}
	for _, tt := range []struct{ name, load, request string }{
		{"open", "arrival-rate: 5\nramp-up: 4s\nhold-for: 1s\nmax-concurrency: 5", ""},
		{"steps", "concurrency: 20\nramp-up: 4s\nhold-for: 1s\nsteps: 5", ""},
		{"closed", "concurrency: 4\niterations: 100", "method: POST\ntimeout: 300ms\nbody: x"},
	} {
		text := tr.scenario(tt.load, "http://127.0.0.1:1", tt.request)
		file, list := config.Load(t.Context(), nil, config.Options{Documents: []config.Document{{Name: "truth.yml", Text: []byte(text)}}})
		_, more := engine.Compile(file, engine.Options{})
		if list = append(list, more...); len(list) > 0 {
			t.Errorf("%s: %v\n%s", tt.name, list, text)
		}
	}
}
