package metrics

import (
	"math/rand/v2"
	"testing"
)

// merged returns a + b and leaves both as they are.
func merged(a, b *Interval) *Interval {
	c := a.Clone()
	c.Merge(b)
	return c
}

func TestMergeIsCommutativeAndAssociative(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		a, b, c := randomInterval(r), randomInterval(r), randomInterval(r)
		keep := a.Clone()
		if d := diff(merged(a, b), merged(b, a)); d != "" {
			t.Fatalf("seed %d: a+b differs from b+a\n%s", seed, d)
		}
		if d := diff(merged(merged(a, b), c), merged(a, merged(b, c))); d != "" {
			t.Fatalf("seed %d: (a+b)+c differs from a+(b+c)\n%s", seed, d)
		}
		if d := diff(keep, a); d != "" {
			t.Fatalf("seed %d: merging changed what was merged\n%s", seed, d)
		}
	}
}

func TestMergeSharesNothing(t *testing.T) {
	r := random(t)
	a, b := randomInterval(r), randomInterval(r)
	keep := b.Clone()
	sum := a.Clone()
	sum.Merge(b)
	for range 5 {
		sum.Merge(sum.Clone())
	}
	if d := diff(keep, b); d != "" {
		t.Errorf("the sum changed its part\n%s", d)
	}
}

func TestRowMergeUnsharesTimes(t *testing.T) {
	series := func(values ...int64) (s Series) {
		for _, v := range values {
			s.Record(v)
		}
		return s
	}
	closed := Row{Finished: 1, Service: series(5e6)}
	closed.Response = closed.Service
	open := Row{Finished: 1, Service: series(5e6), Response: series(9e6)}
	for _, test := range []struct {
		name string
		rows []*Row
	}{
		{"closed first", []*Row{&closed, &closed, &open}},
		{"open first", []*Row{&open, &closed, &closed}},
		{"open between", []*Row{&closed, &open, &closed}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sum Row
			for _, r := range test.rows {
				sum.Merge(r)
			}
			want := Row{Finished: 3, Service: series(5e6, 5e6, 5e6), Response: series(5e6, 5e6, 9e6)}
			if d := diff(want, sum); d != "" {
				t.Error(d)
			}
		})
	}
	if d := diff(series(5e6), closed.Response); d != "" {
		t.Errorf("a part was changed: %s", d)
	}
}

func TestLoadMergesGaugesBySecond(t *testing.T) {
	load := func(second, users int64) *Interval {
		return &Interval{Second: second, Load: []Load{{Execution: "x", Second: second, Users: users, UsersPeak: users, Planned: float64(users), Started: users}}}
	}
	sum := merged(merged(load(1, 3), load(2, 4)), load(2, 5))
	want := Load{Execution: "x", Second: 2, Users: 9, UsersPeak: 9, Planned: 9, Started: 12}
	if d := diff([]Load{want}, sum.Load); d != "" {
		t.Error(d)
	}
}

func TestIntervalLookups(t *testing.T) {
	iv := &Interval{Rows: []Row{
		{Execution: "x", Label: "a", Finished: 1},
		{Execution: "y", Label: "a", Finished: 2},
		{Execution: "x", Label: "b", Finished: 4},
		{Execution: "x", Label: "b", WarmUp: true, Finished: 8},
		{Execution: "x", Label: "b", Kind: TransactionKind, Finished: 16},
	}}
	if got := iv.Total("").Finished; got != 7 {
		t.Errorf("total = %d, want measured requests only", got)
	}
	if got := iv.Total("x").Finished; got != 5 {
		t.Errorf("total of x = %d", got)
	}
	if got := iv.Row("x", TransactionKind, "b"); got == nil || got.Finished != 16 {
		t.Errorf("transaction: %+v", got)
	}
	if got := iv.Row("x", RequestKind, "c"); got != nil {
		t.Errorf("unknown label: %+v", got)
	}
}
