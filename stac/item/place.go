package item

import (
	"strconv"
	"time"

	"github.com/stacrun/stacrun/stac/geo"
)

const (
	// SampleTiles is the number of tiles of the block that the first items lie in.
	SampleTiles = 20
	// sampleItems is the number of items in that block; those after it lie elsewhere.
	sampleItems = 2000
	// revisit is the time between two passes of the pair of satellites over one tile.
	revisit = 5 * 24 * time.Hour
)

// sampleStart and worldStart are the days of the first passes.
func sampleStart() time.Time { return time.Date(2023, 6, 1, 0, 0, 0, 0, time.UTC) }
func worldStart() time.Time  { return time.Date(2017, 7, 1, 0, 0, 0, 0, time.UTC) }

// place is where and when item n was taken. It does not depend on the seed, so that ids can be
// computed by whoever knows n.
type place struct {
	tile     geo.Tile
	pass     int // 0 for the first item of the tile
	sequence int // several products of one tile and day
	taken    time.Time
	first    byte // 'A' or 'B', the satellite
}

// place finds item n ≥ 0:
//
//	n < 2000: tile n mod 20 of the sample block, pass n div 20
//	else:     tile (n-2000) mod T of the world's T tiles; two products a pass
//
// The satellites take turns. Each tile has a day of the five-day cycle and a time of day of its own,
// like a real orbit.
func (g *Generator) place(n int) place {
	if n < sampleItems {
		index, pass := n%SampleTiles, n/SampleTiles
		return newPlace(g.sample[index], index, pass, 0, sampleStart())
	}
	n -= sampleItems
	index, turn := n%len(g.world), n/len(g.world)
	return newPlace(g.world[index], index, turn/2, turn%2, worldStart())
}

func newPlace(tile geo.Tile, index, pass, sequence int, start time.Time) place {
	lon, _ := tile.At(0.5, 0.5)
	// Sentinel-2 crosses the equator at 10:30 local solar time; one hour is 15 degrees.
	noon := 10*time.Hour + 30*time.Minute - time.Duration(lon/15*float64(time.Hour))
	timeOfDay := (noon.Truncate(time.Second) + time.Duration(index*37%600)*time.Second + 24*time.Hour) % (24 * time.Hour)
	day := time.Duration(index*3%5) * 24 * time.Hour
	jitter := time.Duration((index+pass*7)%10) * time.Second
	satellite := byte('A')
	if (pass+index)%2 == 1 {
		satellite = 'B'
	}
	return place{tile, pass, sequence, start.Add(time.Duration(pass)*revisit + day + timeOfDay + jitter), satellite}
}

// appendID appends the id, such as "S2B_34QEJ_20230601_0_L2A".
func (p place) appendID(dst []byte) []byte {
	dst = append(dst, 'S', '2', p.first, '_')
	dst = append(dst, p.tile.Code()...)
	dst = append(dst, '_')
	dst = p.taken.AppendFormat(dst, "20060102")
	dst = append(dst, '_')
	dst = strconv.AppendInt(dst, int64(p.sequence), 10)
	return append(dst, "_L2A"...)
}
