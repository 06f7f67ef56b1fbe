package item

import (
	"math/rand/v2"

	"github.com/stacrun/stacrun/stac/geo"
)

// ring draws the outline of the data in a tile as a closed ring, counter-clockwise, in degrees:
// mostly the whole square, else a sliver that the edge of the swath cut off, or a square one side of
// which is frayed like a coast. The first pass over a tile is always whole, so that the first items
// together cover their block without a gap. coverage is the part of the tile inside it, 0…1.
func ring(p place, rng *rand.Rand) (outline [][2]float64, coverage float64) {
	u := rng.Float64()
	switch {
	case p.pass == 0 || u < 0.70:
		return project(p.tile, [][2]float64{{0, 0}, {0, 1}, {1, 1}, {1, 0}})
	case u < 0.85:
		top, bottom := 0.15+0.75*rng.Float64(), 0.15+0.75*rng.Float64()
		return project(p.tile, [][2]float64{{0, 0}, {0, 1}, {bottom, 1}, {top, 0}})
	}
	count := 21 + rng.IntN(50) // 25…75 positions in all
	corners := [][2]float64{{0, 0}, {0, 1}, {1, 1}}
	for i := range count {
		y := 1 - float64(i+1)/float64(count+1)
		corners = append(corners, [2]float64{0.80 + 0.15*rng.Float64(), y})
	}
	return project(p.tile, append(corners, [2]float64{1, 0}))
}

// project turns places in a tile, counter-clockwise, into a closed ring of degrees, and gives the
// part of the tile that they enclose (by the shoelace formula).
func project(t geo.Tile, places [][2]float64) (outline [][2]float64, coverage float64) {
	for i, at := range places {
		next := places[(i+1)%len(places)]
		coverage += (next[0]*at[1] - at[0]*next[1]) / 2 // y points down, so the sign is turned
	}
	ring := make([][2]float64, 0, len(places)+1)
	for _, at := range places {
		lon, lat := t.At(at[0], at[1])
		ring = append(ring, [2]float64{geo.Round6(lon), geo.Round6(lat)})
	}
	return append(ring, ring[0]), coverage
}

func boxOf(ring [][2]float64) geo.Box {
	b := geo.Box{West: ring[0][0], South: ring[0][1], East: ring[0][0], North: ring[0][1]}
	for _, at := range ring {
		b = b.Union(geo.Box{West: at[0], South: at[1], East: at[0], North: at[1]})
	}
	return b
}
