package item

import (
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"github.com/stacrun/stacrun/stac/geo"
)

// DefaultCollection is the id that the seed tool, and so every shipped scenario, gives its collection.
const DefaultCollection = "test-collection"

// DefaultCount is the number of items of the shipped sample.
const DefaultCount = 100

// DefaultSeed is the seed of the shipped sample.
const DefaultSeed = 1

// Generator makes items. It is immutable and may be used by many goroutines.
type Generator struct {
	seed       uint64
	collection string
	sample     []geo.Tile
	world      []geo.Tile
	shapes     []assetShape
}

// New returns the generator of a seed. The items say that they belong to collection; "" stands for
// [DefaultCollection].
func New(seed uint64, collection string) *Generator {
	if collection == "" {
		collection = DefaultCollection
	}
	g := &Generator{seed: seed, collection: collection, shapes: assetShapes()}
	sample := geo.Sample()
	for i := range sample.Tiles() {
		g.sample = append(g.sample, sample.Tile(i))
	}
	lands := geo.Lands()
	for round, added := 0, true; added; round++ { // deal the tiles out, so that few items are spread wide already
		added = false
		for _, land := range lands {
			if round < land.Tiles() {
				g.world = append(g.world, land.Tile(round))
				added = true
			}
		}
	}
	return g
}

// Collection returns the id of the collection that the items belong to.
func (g *Generator) Collection() string { return g.collection }

// ID returns the id of item n ≥ 0. It is the same for every seed.
func (g *Generator) ID(n int) string { return string(g.place(n).appendID(nil)) }

// Datetime returns when item n ≥ 0 was taken, in whole seconds. It is the same for every seed.
func (g *Generator) Datetime(n int) time.Time { return g.place(n).taken }

// Append appends item n ≥ 0 as compact JSON: about 10 kB, or 7 kB for the half of the items that are
// in the older style without roles and bands.
func (g *Generator) Append(dst []byte, n int) []byte {
	p := g.place(n)
	rng := rand.New(rand.NewPCG(g.seed, uint64(n)))
	return g.appendItem(dst, n, p, rng)
}

// Items yields items first … first+count-1. The slice is the caller's to keep.
func (g *Generator) Items(first, count int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for n := first; n < first+count; n++ {
			if !yield(g.Append(make([]byte, 0, 12<<10), n)) {
				return
			}
		}
	}
}

// Extent returns the box around the tiles and the span of time of the first count items.
// For no items it is the sample's block at the day of the first pass.
func (g *Generator) Extent(count int) (box geo.Box, from, to time.Time) {
	box, from, to = g.sample[0].Box(), g.Datetime(0), g.Datetime(0)
	add := func(first, last int) { // items first … last-1
		for n := first; n < last; n++ {
			p := g.place(n)
			box = box.Union(p.tile.Box())
			if p.taken.Before(from) {
				from = p.taken
			}
			if p.taken.After(to) {
				to = p.taken
			}
		}
	}
	// Times of a tile only grow, so the earliest are in the first round over the tiles and the
	// latest in the last one.
	span := func(first, last, tiles int) {
		add(first, min(last, first+tiles))
		add(max(first, last-tiles), last)
	}
	span(0, min(count, sampleItems), SampleTiles)
	if count > sampleItems {
		// Two products of a pass share a day but not a turn; two rounds are enough.
		span(sampleItems, count, 2*len(g.world))
	}
	return box, from, to
}

// cloudCover draws from a U-shaped distribution in percent with two decimals: 8 % zero, 30 % above 95.
func cloudCover(rng *rand.Rand) float64 {
	switch u := rng.Float64(); {
	case u < 0.08:
		return 0
	case u < 0.38:
		return math.Round((95+5*rng.Float64())*100) / 100
	default:
		x := rng.Float64()
		if rng.Float64() < 0.5 {
			x = x * x / 2 // towards clear
		} else {
			x = 1 - x*x/2 // towards overcast
		}
		return math.Round(x*95*100) / 100
	}
}

// WorldSpan returns the span of time of the first pass over all tiles outside the sample's block.
func (g *Generator) WorldSpan() (from, to time.Time) {
	from = g.Datetime(sampleItems)
	to = from
	for n := sampleItems; n < sampleItems+len(g.world); n++ {
		taken := g.Datetime(n)
		if taken.Before(from) {
			from = taken
		}
		if taken.After(to) {
			to = taken
		}
	}
	return from, to
}
