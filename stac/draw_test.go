package stac

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stacrun/stacrun/stac/api"
	"github.com/stacrun/stacrun/stac/geo"
)

// functions is the table, made once.
var functions = sync.OnceValue(Functions)

func call(t *testing.T, rng *rand.Rand, name string, args ...any) (any, error) {
	t.Helper()
	for _, f := range functions() {
		if f.Name == name {
			if len(args) < f.MinArgs || len(args) > f.MaxArgs || f.Doc == "" || f.Example == "" {
				t.Errorf("%s takes %d to %d arguments", name, f.MinArgs, f.MaxArgs)
			}
			return f.Call(rng, args)
		}
	}
	t.Fatalf("no function %s", name)
	return nil, nil
}

// Whatever a scenario draws in the area and the time of the sample must have hits among its 100 items.
func TestWhatIsDrawnHasHits(t *testing.T) {
	store := api.NewMemory()
	if err := Fill(t.Context(), store, Generated(1, "", 100), ""); err != nil {
		t.Fatal(err)
	}
	serve := newHandler(t, store)
	rng := rand.New(rand.NewPCG(3, 4))
	sample, err := FindArea("sample")
	if err != nil {
		t.Fatal(err)
	}
	from, to := sample.From.Format(time.RFC3339), sample.To.Add(-5*24*time.Hour).Format(time.RFC3339)
	for range 100 {
		for _, search := range []map[string]any{
			{"bbox": must(t)(call(t, rng, "randomBbox", "sample", 0.2, 1.5))},
			{"intersects": map[string]any{"type": "Point", "coordinates": must(t)(call(t, rng, "randomPoint", "sample"))}},
			{"intersects": must(t)(call(t, rng, "boxPolygon", must(t)(call(t, rng, "randomBbox", "sample", 0.0001, 3))))},
			{"datetime": must(t)(call(t, rng, "randomInterval", from, to, 5))},
			{"ids": []any{must(t)(call(t, rng, "randomItem", 100))}},
			{"ids": []any{must(t)(call(t, rng, "sampleItem", 99.0))}},
		} {
			if n := serve(search); n == 0 {
				t.Fatalf("%v finds nothing", search)
			}
		}
	}
}

func must(t *testing.T) func(any, error) any {
	t.Helper()
	return func(v any, err error) any {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestFunctionsTakeWhatExpressionsGive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, area := range map[string]any{"name": "sample", "text": "1,2,3,4", "JSON": "[1,2,3,4]", "list": []any{1.0, 2, int64(3), "4"}} {
		v, err := call(t, rng, "randomBbox", area, 0, "0.5")
		if err != nil {
			t.Errorf("area as %s: %v", name, err)
			continue
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Error(err)
		}
		if commas, err := call(t, rng, "commas", v); err != nil || "["+commas.(string)+"]" != string(text) {
			t.Errorf("commas of %s are %v, %v", text, commas, err)
		}
	}
	for _, bad := range []struct {
		name string
		args []any
	}{
		{"randomBbox", []any{"nowhere", 0, 1}}, {"randomBbox", []any{"sample", 2, 1}}, {"randomBbox", []any{"sample", -1, 1}},
		{"randomBbox", []any{"1,2,3", 0, 1}}, {"randomBbox", []any{"170,0,-170,1", 0, 1}}, {"randomBbox", []any{"sample", "a", 1}},
		{"randomPoint", []any{1}}, {"boxPolygon", []any{"x"}}, {"boxPolygon", []any{[]any{1, 2}}}, {"boxPolygon", []any{[]any{"x"}}},
		{"randomDatetime", []any{"x", "2023-01-01"}}, {"randomDatetime", []any{"2023-01-02", "2023-01-01"}}, {"randomDatetime", []any{1, 2}},
		{"randomInterval", []any{"2023-01-01", "2023-01-02", -1}}, {"randomInterval", []any{"2023-01-01", "2023-01-02", "x"}},
		{"sampleItem", []any{-1}}, {"sampleItem", []any{"x"}}, {"randomItem", []any{0}}, {"commas", []any{"x"}},
	} {
		if v, err := call(t, rng, bad.name, bad.args...); err == nil {
			t.Errorf("%s%v gives %v", bad.name, bad.args, v)
		}
	}
}

func TestSameSeedDrawsTheSame(t *testing.T) {
	draw := func() (list []any) {
		rng := rand.New(rand.NewPCG(9, 9))
		for range 20 {
			a, _ := call(t, rng, "randomBbox", "sample", 0.1, 1)
			b, _ := call(t, rng, "randomDatetime", "2023-06-01", "2023-06-25T00:00:00Z")
			list = append(list, a, b)
		}
		return list
	}
	a, _ := json.Marshal(draw())
	b, _ := json.Marshal(draw())
	if string(a) != string(b) {
		t.Error("two draws differ")
	}
}

func TestAreasLieInTheirTiles(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range Areas() {
		if seen[a.Name] || a.Box.Width() <= 0 || a.Box.Height() <= 0 || !a.From.Before(a.To) || !geo.World().Covers(a.Box) {
			t.Errorf("%+v", a)
		}
		seen[a.Name] = true
	}
	if _, err := FindArea("nowhere"); err == nil {
		t.Error("an area that does not exist is found")
	}
}

func BenchmarkNewDrawer(b *testing.B) {
	for b.Loop() {
		NewDrawer()
	}
}
