package stac

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stacrun/stacrun/stac/geo"
	"github.com/stacrun/stacrun/stac/item"
)

// Drawer draws places and times for queries and knows the ids of generated items. It is immutable and
// may be used by many goroutines; randomness comes from the caller.
type Drawer struct {
	known     func() areaTable
	generator *item.Generator
}

// NewDrawer makes a drawer. Areas are prepared when first needed, since most files need none and it takes milliseconds.
func NewDrawer() *Drawer {
	return &Drawer{known: sync.OnceValue(knownAreas), generator: item.New(item.DefaultSeed, "")}
}

// areaTable finds areas by their names.
type areaTable struct {
	byName map[string]Area
	names  []string
}

func knownAreas() areaTable {
	t := areaTable{byName: map[string]Area{}}
	for _, a := range Areas() {
		t.byName[a.Name] = a
		t.names = append(t.names, a.Name)
	}
	return t
}

// box finds what a template calls an area: a name of [Areas], or four numbers "w,s,e,n".
func (d *Drawer) box(area string) (geo.Box, error) {
	known := d.known()
	if a, ok := known.byName[area]; ok {
		return a.Box, nil
	}
	if strings.Contains(area, ",") {
		b, err := parseNumbers(area)
		if err != nil {
			return geo.Box{}, err
		}
		if b.Crosses() {
			return geo.Box{}, fmt.Errorf("area %q crosses the antimeridian: split it in two", area)
		}
		return b, nil
	}
	return geo.Box{}, fmt.Errorf("there is no area %q; there are %s, or write west,south,east,north", area, strings.Join(known.names, ", "))
}

// RandomBbox draws a box inside an area whose sides are between minDegrees and maxDegrees, as
// west, south, east, north in degrees with at most six decimals.
//
// area is a name of [Areas] or the text "west,south,east,north".
func (d *Drawer) RandomBbox(rng *rand.Rand, area string, minDegrees, maxDegrees float64) ([]float64, error) {
	b, err := d.box(area)
	if err != nil {
		return nil, err
	}
	if !(minDegrees >= 0) || !(maxDegrees >= minDegrees) || maxDegrees > 360 {
		return nil, fmt.Errorf("randomBbox: sides from %v to %v degrees are no range within 0…360", minDegrees, maxDegrees)
	}
	return b.Within(rng, minDegrees, maxDegrees).Numbers(), nil
}

// RandomPoint draws a point in an area, as longitude and latitude with at most six decimals.
func (d *Drawer) RandomPoint(rng *rand.Rand, area string) ([]float64, error) {
	b, err := d.box(area)
	if err != nil {
		return nil, err
	}
	lon, lat := b.Point(rng)
	return []float64{lon, lat}, nil
}

// RandomDatetime draws an instant between two RFC 3339 times or days (2023-06-01), ends included, in
// whole seconds, as RFC 3339 in UTC.
func (d *Drawer) RandomDatetime(rng *rand.Rand, from, to string) (string, error) {
	first, err := parseTime(from)
	if err != nil {
		return "", err
	}
	last, err := parseTime(to)
	if err != nil {
		return "", err
	}
	if last.Before(first) {
		return "", fmt.Errorf("randomDatetime: %q is before %q", to, from)
	}
	seconds := int64(last.Sub(first) / time.Second)
	return first.Add(time.Duration(rng.Int64N(seconds+1)) * time.Second).UTC().Format(time.RFC3339), nil
}

// SampleItem returns the id of generated item n ≥ 0, the same for every seed.
func (d *Drawer) SampleItem(n int) (string, error) {
	if n < 0 {
		return "", fmt.Errorf("sampleItem: the number %d is negative", n)
	}
	return d.generator.ID(n), nil
}

func parseTime(s string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("randomDatetime: %q is neither a day such as 2023-06-01 nor an RFC 3339 time", s)
	}
	return t, nil
}

func parseNumbers(s string) (geo.Box, error) {
	var numbers []float64
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return geo.Box{}, fmt.Errorf("area %q: %q is no number", s, part)
		}
		numbers = append(numbers, n)
	}
	return geo.ParseBox(numbers)
}
