package metrics

import (
	"math"
	"testing"
)

func TestSum(t *testing.T) {
	tests := []struct {
		name       string
		values     []int64
		min, max   int64
		mean, want float64 // want: standard deviation
	}{
		{"nothing", nil, 0, 0, 0, 0},
		{"one", []int64{7}, 7, 7, 7, 0},
		{"equal values do not vary, whatever their fraction of a microsecond", []int64{50_600, 50_600, 50_600}, 50_600, 50_600, 50_600, 0},
		{"textbook", []int64{2, 4, 4, 4, 5, 5, 7, 9}, 2, 9, 5, 2},
		{"one nanosecond apart after an hour", []int64{3_600_000_000_000, 3_600_000_000_002}, 3_600_000_000_000, 3_600_000_000_002, 3_600_000_000_001, 1},
		{"squares beyond 64 bits", []int64{0, 8_000_000_000_000}, 0, 8_000_000_000_000, 4e12, 4e12},
		{"negative counts as nothing", []int64{-5, 10}, 0, 10, 5, 5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var whole, left, right Sum
			for i, v := range test.values {
				whole.Add(v)
				[]*Sum{&left, &right}[i%2].Add(v)
			}
			left.Merge(&right)
			if left != whole {
				t.Errorf("merged from halves: %+v, want %+v", left, whole)
			}
			if whole.Min != test.min || whole.Max != test.max || whole.Mean() != test.mean {
				t.Errorf("min, max, mean = %d, %d, %v, want %d, %d, %v", whole.Min, whole.Max, whole.Mean(), test.min, test.max, test.mean)
			}
			if got := whole.Stdev(); math.Abs(got-test.want) > 1e-9*test.want {
				t.Errorf("stdev = %v, want %v", got, test.want)
			}
		})
	}
}

func TestSumZeros(t *testing.T) {
	var want, got Sum
	for _, v := range []int64{5, 0, 0, 8} {
		want.Add(v)
	}
	got.Add(5)
	got.Add(8)
	got.addZeros(2)
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
