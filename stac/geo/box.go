package geo

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// Box is a bounding box in degrees. West > East means that it crosses the antimeridian.
// A box without area is a point or a line and still touches what lies on it.
type Box struct{ West, South, East, North float64 }

// World returns the whole globe.
func World() Box { return Box{-180, -90, 180, 90} }

// ParseBox reads the four or six numbers of a STAC bbox; the elevations of six are checked and dropped.
// It refuses other lengths, numbers that are not finite, latitudes outside ±90, longitudes outside ±180,
// and a south above the north.
func ParseBox(numbers []float64) (Box, error) {
	for _, n := range numbers {
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return Box{}, errors.New("bbox holds a number that is not finite")
		}
	}
	var b Box
	switch len(numbers) {
	case 4:
		b = Box{numbers[0], numbers[1], numbers[2], numbers[3]}
	case 6:
		if numbers[2] > numbers[5] {
			return Box{}, fmt.Errorf("bbox minimum elevation %v is above its maximum %v", numbers[2], numbers[5])
		}
		b = Box{numbers[0], numbers[1], numbers[3], numbers[4]}
	default:
		return Box{}, fmt.Errorf("bbox needs 4 or 6 numbers, not %d", len(numbers))
	}
	switch {
	case b.South > b.North:
		return Box{}, fmt.Errorf("bbox south %v is above its north %v", b.South, b.North)
	case b.South < -90 || b.North > 90:
		return Box{}, fmt.Errorf("bbox latitudes %v and %v leave -90…90", b.South, b.North)
	case math.Abs(b.West) > 180 || math.Abs(b.East) > 180:
		return Box{}, fmt.Errorf("bbox longitudes %v and %v leave -180…180", b.West, b.East)
	}
	return b, nil
}

// Crosses reports whether the box crosses the antimeridian.
func (b Box) Crosses() bool { return b.West > b.East }

// Parts returns the box as one box, or two where it crosses the antimeridian; none of them crosses.
func (b Box) Parts() []Box {
	if !b.Crosses() {
		return []Box{b}
	}
	return []Box{{b.West, b.South, 180, b.North}, {-180, b.South, b.East, b.North}}
}

// Width returns the extent in longitude, in degrees.
func (b Box) Width() float64 {
	if b.Crosses() {
		return b.East - b.West + 360
	}
	return b.East - b.West
}

// Height returns the extent in latitude, in degrees.
func (b Box) Height() float64 { return b.North - b.South }

// Has reports whether a point lies in the box or on its border.
func (b Box) Has(lon, lat float64) bool {
	if lat < b.South || lat > b.North {
		return false
	}
	if b.Crosses() {
		return lon >= b.West || lon <= b.East
	}
	return lon >= b.West && lon <= b.East
}

// Intersects reports whether two boxes share at least one point.
func (b Box) Intersects(o Box) bool {
	if b.South > o.North || o.South > b.North {
		return false
	}
	if !b.Crosses() && !o.Crosses() {
		return b.West <= o.East && o.West <= b.East
	}
	if b.Crosses() && o.Crosses() {
		return true
	}
	if o.Crosses() {
		b, o = o, b
	}
	return o.East >= b.West || o.West <= b.East
}

// Covers reports whether o lies wholly inside b.
func (b Box) Covers(o Box) bool {
	if o.South < b.South || o.North > b.North {
		return false
	}
	switch {
	case b.Crosses() == o.Crosses():
		return o.West >= b.West && o.East <= b.East
	case o.Crosses():
		return b.West <= -180 && b.East >= 180
	}
	return o.West >= b.West || o.East <= b.East
}

// Union returns the smallest box around both that does not cross the antimeridian unless one of them does.
func (b Box) Union(o Box) Box {
	south, north := min(b.South, o.South), max(b.North, o.North)
	if b.Crosses() != o.Crosses() {
		return Box{-180, south, 180, north}
	}
	return Box{min(b.West, o.West), south, max(b.East, o.East), north}
}

// Point draws a point evenly over degrees, not over area.
func (b Box) Point(rng *rand.Rand) (lon, lat float64) {
	lon = b.West + rng.Float64()*b.Width()
	if lon > 180 {
		lon -= 360
	}
	return Round6(lon), Round6(b.South + rng.Float64()*b.Height())
}

// Within draws a box inside b whose sides are between minDegrees and maxDegrees, cut to what fits.
// b must not cross the antimeridian.
func (b Box) Within(rng *rand.Rand, minDegrees, maxDegrees float64) Box {
	side := func(room float64) float64 {
		return min(room, minDegrees+rng.Float64()*max(0, maxDegrees-minDegrees))
	}
	width, height := side(b.Width()), side(b.Height())
	west := b.West + rng.Float64()*(b.Width()-width)
	south := b.South + rng.Float64()*(b.Height()-height)
	return Box{
		Round6(west), Round6(south),
		Round6(min(west+width, b.East)), Round6(min(south+height, b.North)),
	}
}

// Numbers returns west, south, east, north.
func (b Box) Numbers() []float64 { return []float64{b.West, b.South, b.East, b.North} }

// AppendJSON appends the box as a JSON array of four numbers with at most six decimals.
func (b Box) AppendJSON(dst []byte) []byte {
	dst = append(dst, '[')
	for i, n := range [4]float64{b.West, b.South, b.East, b.North} {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendDegrees(dst, n)
	}
	return append(dst, ']')
}

// Round6 rounds degrees to six decimals, about 0.1 m.
func Round6(degrees float64) float64 { return math.Round(degrees*1e6) / 1e6 }

// AppendDegrees appends a number with at most six decimals and no exponent.
func AppendDegrees(dst []byte, degrees float64) []byte {
	return strconv.AppendFloat(dst, Round6(degrees)+0, 'f', -1, 64) // +0 turns a negative zero into zero
}
