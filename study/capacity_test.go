package study

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/reporters/report"
)

// queue models a server with a single queue: arrivals at a rate are served in order, each for the time that service gives.
func queue(random *rand.Rand, rate float64, seconds int, poisson bool, service func() float64) Result {
	list := make([]second, seconds+60)
	free, at := 0.0, 0.0
	for n := 0; ; n++ {
		if poisson {
			at += random.ExpFloat64() / rate
		} else {
			at = float64(n) / rate
		}
		if at >= float64(seconds) {
			break
		}
		free = max(free, at) + service()
		if end := int(free); end < len(list) {
			list[end].responses = append(list[end].responses, int64((free-at)*1e9))
		} else {
			list[int(at)].dropped++
		}
	}
	for len(list) > 1 && len(list[len(list)-1].responses) == 0 {
		list = list[:len(list)-1]
	}
	return made(list)
}

func objectives(t *testing.T, texts ...string) (list []Objective) {
	t.Helper()
	for _, text := range texts {
		o, err := ParseObjective(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	return list
}

func capacityOptions(t *testing.T, texts ...string) CapacityOptions {
	t.Helper()
	return CapacityOptions{
		Objectives: objectives(t, texts...), Open: true, From: DefaultFrom, To: DefaultTo, Step: DefaultStep, WarmUp: DefaultStepWarm,
		Precision: DefaultPrecision, Confirm: DefaultConfirm, Rest: noRest, Dir: "out",
	}
}

func rateOf(file *config.File) float64 { return file.Executions[0].Load.ArrivalRate.V }

func TestCapacityOfKnownServers(t *testing.T) {
	const mu = 500.0
	for _, tt := range []struct {
		name      string
		objective string
		want      float64 // iterations per second
		serve     func(random *rand.Rand, rate float64) Result
	}{
		{"token bucket at 400/s", "p95<250ms", 400, func(random *rand.Rand, rate float64) Result {
			return queue(random, rate, 20, false, func() float64 { return 1.0 / 400 })
		}},
		// The time in an M/M/1 queue is exponential with rate μ−λ, so that p95 = ln 20/(μ−λ).
		{"one server of 2 ms on average, p95 < 30 ms", "p95<30ms", mu - math.Log(20)/0.030, func(random *rand.Rand, rate float64) Result {
			return queue(random, rate, 60, true, func() float64 { return random.ExpFloat64() / mu })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			good := 0
			const trials = 5
			for trial := range trials {
				random := rand.New(rand.NewPCG(uint64(trial), 7))
				runner := &fakeRunner{make: func(file *config.File, _ int) (Result, error) { return tt.serve(random, rateOf(file)), nil }}
				c, err := RunCapacity(context.Background(), mustLoad(t, searchDocument), runner, capacityOptions(t, tt.objective))
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(c.Low-tt.want) <= 0.1*tt.want {
					good++
				} else {
					t.Logf("trial %d: %g, want %g", trial, c.Low, tt.want)
				}
				if c.AtLeast || c.LimitedBy != report.LimitedByLatency || c.Confirmed < DefaultConfirm || c.High == nil || *c.High < c.Low {
					t.Errorf("%+v", c)
				}
			}
			if good < trials {
				t.Errorf("within 10 %% in %d of %d trials", good, trials)
			}
		})
	}
}

func TestCapacitySaysWhatGaveWay(t *testing.T) {
	fast := func(n int, failed int64, busy bool) Result {
		list := make([]second, 10)
		for i := range list {
			for range n {
				list[i].responses = append(list[i].responses, 1e6)
			}
			list[i].failed, list[i].busy = failed, busy
		}
		return made(list)
	}
	for _, tt := range []struct {
		name    string
		serve   func(rate float64) Result
		change  func(*CapacityOptions)
		limited string
		atLeast bool
		low     float64 // 0: any
		reason  string
	}{
		{"errors", func(rate float64) Result {
			if rate > 100 {
				return fast(int(rate), int64(rate/2), false)
			}
			return fast(int(rate), 0, false)
		}, nil, report.LimitedByErrors, false, 0, "share of failures"},
		{"the rate is not reached", func(rate float64) Result { return fast(int(min(rate, 100)), 0, false) }, nil, report.LimitedByDropped, false, 0, "not reached"},
		{"the generator", func(rate float64) Result { return fast(int(min(rate, 100)), 0, rate > 100) }, nil, report.LimitedByGenerator, true, 0, "may hold more"},
		{"the highest load to try", func(rate float64) Result { return fast(int(rate), 0, false) }, func(o *CapacityOptions) { o.To = 50 }, report.LimitedByMaximum, true, 50, "highest load"},
		{"never", func(float64) Result { return fast(10, 10, false) }, nil, report.LimitedByErrors, false, -1, "even at 1 iterations/s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			runner := &fakeRunner{make: func(file *config.File, _ int) (Result, error) { return tt.serve(rateOf(file)), nil }}
			o := capacityOptions(t, "fail<1%", "p95<250ms")
			if tt.change != nil {
				tt.change(&o)
			}
			c, err := RunCapacity(context.Background(), mustLoad(t, searchDocument), runner, o)
			if err != nil {
				t.Fatal(err)
			}
			if c.LimitedBy != tt.limited || c.AtLeast != tt.atLeast || !strings.Contains(c.Reason, tt.reason) {
				t.Errorf("limited by %q, at least %v, %q", c.LimitedBy, c.AtLeast, c.Reason)
			}
			if want := max(tt.low, 0); tt.low != 0 && c.Low != want {
				t.Errorf("low %g, want %g", c.Low, want)
			}
		})
	}
}

func TestCapacityOfUsersIsWhole(t *testing.T) {
	runner := &fakeRunner{make: func(file *config.File, _ int) (Result, error) {
		users := file.Executions[0].Load.Concurrency.V
		return steady(10, users, int64(users)*5e6), nil // 5 ms for each user: 20 users take 100 ms
	}}
	o := capacityOptions(t, "p95<=101ms")
	o.Open, o.From = false, 1
	c, err := RunCapacity(context.Background(), mustLoad(t, searchDocument), runner, o)
	if err != nil {
		t.Fatal(err)
	}
	if c.Concurrency == nil || *c.Concurrency != 20 || c.Rate != nil || *c.High != 21 {
		t.Errorf("%+v", c)
	}
}

func TestCapacityInterruptedKeepsWhatItKnows(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	runner := &fakeRunner{make: func(file *config.File, n int) (Result, error) {
		if n == 2 {
			cancel()
		}
		return steady(5, int(rateOf(file)), 1e6), nil
	}}
	c, err := RunCapacity(ctx, mustLoad(t, searchDocument), runner, capacityOptions(t, "p95<250ms"))
	if err != nil || !c.Interrupted || c.Low != 40 || !c.AtLeast || len(c.Curve) != 3 {
		t.Errorf("%v %+v", err, c)
	}
}

func TestParseObjective(t *testing.T) {
	for text, want := range map[string]string{
		"p95<250ms": "", "fail of search < 1%": "", `p95("search") <= 250ms && fail_ratio() < 1%`: "", "achieved>=99%": "",
		"p95=250ms": "never holds", "p95<250ms for 10s": "leave out", "p95<110% baseline": "baseline", "p95": "comparison", "latenzy(": "objective",
	} {
		_, err := ParseObjective(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestKneeOfACurve(t *testing.T) {
	curve := func(pairs ...float64) (steps []report.CapacityStep) {
		for i := 0; i < len(pairs); i += 2 {
			steps = append(steps, report.CapacityStep{Level: pairs[i], P95MS: pairs[i+1]})
		}
		return steps
	}
	if k := knee(curve(10, 5, 20, 5, 40, 6, 80, 9, 100, 40, 110, 900)); k == nil || *k != 80 {
		t.Errorf("%v", k)
	}
	if k := knee(curve(10, 5, 20, 5, 40, 5)); k != nil {
		t.Errorf("a flat curve has a knee at %v", *k)
	}
}

func TestCapacityRefusesALabelThatIsNotThere(t *testing.T) {
	runner := &fakeRunner{make: func(*config.File, int) (Result, error) { return steady(2, 10, 1e6), nil }}
	_, err := RunCapacity(context.Background(), mustLoad(t, searchDocument), runner, capacityOptions(t, "p95 of serch<1s"))
	if err == nil || !strings.Contains(err.Error(), `"serch"`) || len(runner.runs) != 1 {
		t.Errorf("%v after %d runs", err, len(runner.runs))
	}
}

func TestCapacityOutlivesAHiccup(t *testing.T) {
	for _, tt := range []struct {
		name string
		busy bool // the generator had it
	}{{"of the generator", true}, {"of the server", false}} {
		t.Run(tt.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 4))
			runner := &fakeRunner{make: func(file *config.File, n int) (Result, error) {
				if n == 3 { // at 80/s
					return made(busySeconds(80, 900e6, tt.busy)), nil
				}
				return queue(random, rateOf(file), 20, false, func() float64 { return 1.0 / 400 }), nil
			}}
			c, err := RunCapacity(context.Background(), mustLoad(t, searchDocument), runner, capacityOptions(t, "p95<250ms"))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(c.Low-400) > 40 || c.AtLeast {
				t.Errorf("%g, at least %v: %s", c.Low, c.AtLeast, c.Reason)
			}
		})
	}
}

func busySeconds(perSecond int, ns int64, busy bool) []second {
	list := make([]second, 10)
	for i := range list {
		list[i].busy = busy
		for range perSecond {
			list[i].responses = append(list[i].responses, ns)
		}
	}
	return list
}
