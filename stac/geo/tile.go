package geo

import (
	"math"
	"strconv"
)

// TileSize is the side of a Sentinel-2 tile in metres; tiles stand 100 km apart and overlap.
const TileSize = 109_800.0

// Tile is one square of the Sentinel-2 tiling grid, a UTM square named after its 100 km MGRS square.
type Tile struct {
	Zone   int    // UTM zone 1…60
	Band   byte   // MGRS latitude band C…X
	Square string // MGRS 100 km square, two letters
	// Easting and Northing of the upper left corner in metres; northing is false in the south.
	Easting, Northing float64
}

const (
	columnLetters = "ABCDEFGHJKLMNPQRSTUVWXYZ"
	rowLetters    = "ABCDEFGHJKLMNPQRSTUV"
	bandLetters   = "CDEFGHJKLMNPQRSTUVWX"
)

// NewTile returns the tile of the 100 km square whose lower left corner is (column, row)·100 km in the
// zone: column 1…8, row 0…99, in the south counted with the false northing of 10,000 km.
//
// The raster of a tile begins on the 60 m grid at or left of, and at or above, the square's upper left corner.
func NewTile(zone int, south bool, column, row int) Tile {
	top := float64(row+1) * 100_000
	offset := 0.0
	if south {
		offset = falseNorthing
	}
	t := Tile{
		Zone:     zone,
		Easting:  math.Floor(float64(column)*100_000/60) * 60,
		Northing: math.Ceil((top-offset)/60)*60 + offset,
	}
	_, lat := FromUTM(zone, south, float64(column)*100_000+50_000, top-50_000)
	t.Band = bandLetters[min(19, max(0, int(math.Floor((lat+80)/8))))]
	cycle := 0
	if zone%2 == 0 {
		cycle = 5
	}
	t.Square = string([]byte{
		columnLetters[(zone-1)%3*8+column-1],
		rowLetters[(row+cycle)%20],
	})
	return t
}

// South reports whether the tile lies south of the equator.
func (t Tile) South() bool { return t.Band < 'N' }

// EPSG returns the code of the tile's coordinate system, 326zz in the north and 327zz in the south.
func (t Tile) EPSG() int {
	if t.South() {
		return 32700 + t.Zone
	}
	return 32600 + t.Zone
}

// Code returns the tile's name without a leading zero, such as "1CCV".
func (t Tile) Code() string { return strconv.Itoa(t.Zone) + string(t.Band) + t.Square }

// At returns longitude and latitude of a place in the tile: x and y run from 0 at the upper left
// corner to 1 at the lower right one.
func (t Tile) At(x, y float64) (lon, lat float64) {
	return FromUTM(t.Zone, t.South(), t.Easting+x*TileSize, t.Northing-y*TileSize)
}

// Box returns the box around the tile's four corners.
func (t Tile) Box() Box {
	lon, lat := t.At(0, 0)
	b := Box{lon, lat, lon, lat}
	for _, corner := range [3][2]float64{{1, 0}, {1, 1}, {0, 1}} {
		lon, lat = t.At(corner[0], corner[1])
		b = b.Union(Box{lon, lat, lon, lat})
	}
	return Box{Round6(b.West), Round6(b.South), Round6(b.East), Round6(b.North)}
}
