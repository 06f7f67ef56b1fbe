package geo

import (
	"math"
	"testing"
)

// Corners of the data in tile 1CCV as real scenes give them: one metre inside the edge of the tile.
func TestUTMAgainstKnownPoints(t *testing.T) {
	tests := []struct {
		name              string
		zone              int
		south             bool
		easting, northing float64
		lon, lat          float64
	}{
		{"upper left of 1CCV", 1, true, 300001, 2000019, 177.18936642547558 - 360, -72.0124876694908},
		{"lower left of 1CCV", 1, true, 300001, 1890221, 176.86465735875524 - 360, -72.99146546737437},
		{"equator, central meridian", 31, false, 500000, 0, 3, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lon, lat := FromUTM(tt.zone, tt.south, tt.easting, tt.northing)
			if math.Abs(lon-tt.lon) > 1e-7 || math.Abs(lat-tt.lat) > 1e-7 {
				t.Errorf("got %.8f %.8f, want %.8f %.8f", lon, lat, tt.lon, tt.lat)
			}
		})
	}
}

func TestUTMIsInvertible(t *testing.T) {
	for _, land := range append(Lands(), Sample()) {
		for i := range land.Tiles() {
			tile := land.Tile(i)
			lon, lat := tile.At(0.3, 0.7)
			x, y := ToUTM(tile.Zone, tile.South(), lon, lat)
			if math.Abs(x-tile.Easting-0.3*TileSize) > 1e-3 || math.Abs(y-tile.Northing+0.7*TileSize) > 1e-3 {
				t.Fatalf("%s: %f %f comes back as %f %f", tile.Code(), lon, lat, x, y)
			}
		}
	}
}

func TestTileNames(t *testing.T) {
	tests := []struct {
		want        string
		zone        int
		south       bool
		column, row int
		easting     float64
		northing    float64
		epsg        int
	}{
		{"1CCV", 1, true, 3, 19, 300000, 2000020, 32701},
		{"33UUP", 33, false, 3, 53, 300000, 5400000, 32633},
		{"32TPS", 32, false, 6, 51, 600000, 5200020, 32632},
		{"34QCF", 34, false, 3, 20, 300000, 2100000, 32634},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			tile := NewTile(tt.zone, tt.south, tt.column, tt.row)
			if tile.Code() != tt.want || tile.Easting != tt.easting || tile.Northing != tt.northing || tile.EPSG() != tt.epsg {
				t.Errorf("got %+v, EPSG %d", tile, tile.EPSG())
			}
		})
	}
}

func TestLandsHaveDistinctTilesAndInnerBoxes(t *testing.T) {
	seen := map[string]string{}
	for _, land := range append(Lands(), Sample()) {
		for i := range land.Tiles() {
			tile := land.Tile(i)
			if other := seen[tile.Code()]; other != "" {
				t.Errorf("tile %s is in %s and %s", tile.Code(), other, land.Name)
			}
			seen[tile.Code()] = land.Name
			if tile.Box().Crosses() || tile.Box().Width() > 10 {
				t.Errorf("tile %s has the box %v", tile.Code(), tile.Box())
			}
		}
		if in := land.Inside(); in.West >= in.East || in.South >= in.North || !land.Box().Covers(in) {
			t.Errorf("%s: inner box %v of %v", land.Name, in, land.Box())
		}
	}
}
