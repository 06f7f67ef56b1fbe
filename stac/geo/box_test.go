package geo

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBox(t *testing.T) {
	tests := []struct {
		name    string
		numbers []float64
		want    Box
		bad     bool
	}{
		{name: "two dimensions", numbers: []float64{1, 2, 3, 4}, want: Box{1, 2, 3, 4}},
		{name: "three dimensions drop elevations", numbers: []float64{1, 2, -10, 3, 4, 10}, want: Box{1, 2, 3, 4}},
		{name: "crossing the antimeridian", numbers: []float64{170, -10, -170, 10}, want: Box{170, -10, -170, 10}},
		{name: "a point", numbers: []float64{5, 5, 5, 5}, want: Box{5, 5, 5, 5}},
		{name: "whole globe", numbers: []float64{-180, -90, 180, 90}, want: World()},
		{name: "five numbers", numbers: []float64{1, 2, 3, 4, 5}, bad: true},
		{name: "none", bad: true},
		{name: "south above north", numbers: []float64{1, 4, 3, 2}, bad: true},
		{name: "latitude beyond the pole", numbers: []float64{1, 2, 3, 91}, bad: true},
		{name: "longitude beyond 180", numbers: []float64{-181, 2, 3, 4}, bad: true},
		{name: "elevations upside down", numbers: []float64{1, 2, 10, 3, 4, -10}, bad: true},
		{name: "not a number", numbers: []float64{math.NaN(), 2, 3, 4}, bad: true},
		{name: "infinite", numbers: []float64{1, 2, math.Inf(1), 4}, bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseBox(tt.numbers)
			if (err != nil) != tt.bad {
				t.Fatalf("error %v, want one: %v", err, tt.bad)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" && !tt.bad {
				t.Error(diff)
			}
		})
	}
}

func TestBoxRelations(t *testing.T) {
	pacific := Box{170, -10, -170, 10}
	tests := []struct {
		name              string
		a, b              Box
		intersects, cover bool
	}{
		{"inside", Box{0, 0, 10, 10}, Box{1, 1, 2, 2}, true, true},
		{"touching corners", Box{0, 0, 10, 10}, Box{10, 10, 20, 20}, true, false},
		{"apart in longitude", Box{0, 0, 10, 10}, Box{11, 0, 12, 10}, false, false},
		{"apart in latitude", Box{0, 0, 10, 10}, Box{0, 11, 10, 12}, false, false},
		{"crossing and its western part", pacific, Box{175, 0, 178, 1}, true, true},
		{"crossing and its eastern part", pacific, Box{-178, 0, -175, 1}, true, true},
		{"crossing and the middle of the world", pacific, Box{-10, 0, 10, 1}, false, false},
		{"crossing and partly west", pacific, Box{160, 0, 172, 1}, true, false},
		{"two that cross", pacific, Box{175, -5, -175, 5}, true, true},
		{"world covers crossing", World(), pacific, true, true},
		{"half the world does not cover crossing", Box{0, -90, 180, 90}, pacific, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.a.Intersects(tt.b); got != tt.intersects {
				t.Errorf("intersects: %v", got)
			}
			if got := tt.b.Intersects(tt.a); got != tt.intersects {
				t.Errorf("intersects the other way round: %v", got)
			}
			if got := tt.a.Covers(tt.b); got != tt.cover {
				t.Errorf("covers: %v", got)
			}
			if got := BoxGeometry(tt.a).Intersects(BoxGeometry(tt.b)); got != tt.intersects {
				t.Errorf("as geometries: %v", got)
			}
		})
	}
}

func TestRandomStaysInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	area := Sample().Inside()
	for range 2000 {
		b := area.Within(rng, 0.2, 1.5)
		if !area.Covers(b) || b.Width() < 0.19 || b.Width() > 1.51 || b.Height() < 0.19 || b.Height() > 1.51 {
			t.Fatalf("box %v of area %v", b, area)
		}
		if lon, lat := (Box{170, -10, -170, 10}).Point(rng); !(Box{170, -10, -170, 10}).Has(lon, lat) {
			t.Fatalf("point %v %v", lon, lat)
		}
	}
	if b := area.Within(rng, 100, 200); !area.Covers(b) {
		t.Errorf("a box larger than its area: %v", b)
	}
}

func TestAppendJSON(t *testing.T) {
	got := string(Box{-0.0000001, 1.23456789, 1e-7, 90}.AppendJSON(nil))
	if want := "[0,1.234568,0,90]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
