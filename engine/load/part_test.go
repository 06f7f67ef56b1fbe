package load

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestPartsAreTheWhole deals numbers out to parts: each number has one owner, and Count and Number agree with Owns.
func TestPartsAreTheWhole(t *testing.T) {
	for of := 1; of <= 5; of++ {
		for round := 1; round <= 12; round++ {
			t.Run(fmt.Sprintf("%d of round %d", of, round), func(t *testing.T) {
				const most = 200
				owner := map[int64]int{}
				for i := range of {
					p := NewPart(i, of, round)
					j := int64(0)
					for k := range int64(most) {
						if p.Count(k) != j {
							t.Fatalf("part %d owns %d of the first %d, Count says %d", i, j, k, p.Count(k))
						}
						if !p.Owns(k) {
							continue
						}
						if other, taken := owner[k]; taken {
							t.Fatalf("%d belongs to parts %d and %d", k, other, i)
						}
						owner[k] = i
						if p.Number(j) != k {
							t.Fatalf("number %d of part %d is %d, not %d", j, i, k, p.Number(j))
						}
						j++
					}
					if j == 0 && p.Number(0) != math.MaxInt64 {
						t.Fatalf("part %d owns nothing, but its first number is %d", i, p.Number(0))
					}
				}
				if len(owner) != most {
					t.Fatalf("%d of %d numbers have an owner", len(owner), most)
				}
			})
		}
	}
}

// TestPartsFollowUsers holds that what is dealt out in rounds of the users is in proportion to them.
func TestPartsFollowUsers(t *testing.T) {
	for users := 1; users <= 9; users++ {
		for of := 1; of <= min(users, 4); of++ {
			for i := range of {
				p := NewPart(i, of, users)
				if got, want := p.Count(int64(users)*1000), p.Count(int64(users))*1000; got != want {
					t.Errorf("%d users over %d parts: part %d has %d of the numbers, want %d", users, of, i, got, want)
				}
			}
		}
	}
}

func TestAPartBeyondTheLastHasNothing(t *testing.T) {
	p := NewPart(1, 1, 3)
	if p.Whole() || p.Owns(0) || p.Owns(1) || p.Count(100) != 0 || p.Number(0) != math.MaxInt64 {
		t.Errorf("%+v owns something", p)
	}
}

func TestTheWholeIsAPart(t *testing.T) {
	for _, p := range []Part{{}, NewPart(0, 1, 7)} {
		if !p.Owns(5) || p.Count(9) != 9 || p.Number(4) != 4 || p.Count(-1) != 0 {
			t.Errorf("%+v is not the whole", p)
		}
	}
}

// TestCapsOfPartsAreTheCap draws permits of all parts, always the one that is due first: it is the sequence of the whole cap.
func TestCapsOfPartsAreTheCap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		users, rate, ramp := 1+r.IntN(9), 1+r.Float64()*200, time.Duration(r.IntN(3))*time.Second
		of := 1 + r.IntN(users)
		whole, err := NewThrottle(rate, ramp, 0)
		if err != nil {
			t.Fatal(err)
		}
		var parts []Throttle
		for i := range of {
			parts = append(parts, whole.Part(NewPart(i, of, users)))
		}
		next := make([]int64, of)
		for k := range int64(300) {
			_, want := whole.Permit(k, 0)
			first, at := 0, time.Duration(math.MaxInt64)
			for i := range parts {
				if _, due := parts[i].Permit(next[i], 0); due < at {
					first, at = i, due
				}
			}
			next[first]++
			if at != want {
				t.Fatalf("%d parts of %v/s: permit %d is due at %v, want %v", of, rate, k, at, want)
			}
		}
		for _, to := range []time.Duration{0, time.Millisecond, time.Second, time.Minute} {
			sum := int64(0)
			for i := range parts {
				sum += parts[i].Permits(to)
			}
			if sum != whole.Permits(to) {
				t.Errorf("%d permits of parts until %v, want %d", sum, to, whole.Permits(to))
			}
		}
	}
}
