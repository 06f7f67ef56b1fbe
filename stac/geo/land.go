package geo

// Land is a block of neighbouring tiles far from any sea: every tile in it is really covered by
// Sentinel-2, which scans land.
type Land struct {
	Name                string
	zone                int
	south               bool
	firstColumn, column int // first and last, 1…8
	firstRow, row       int // first and last, in 100 km of northing
}

// Tiles returns the number of tiles of the block.
func (l Land) Tiles() int { return (l.column - l.firstColumn + 1) * (l.row - l.firstRow + 1) }

// Tile returns tile i (0 ≤ i < Tiles) of the block, row by row from the south west.
func (l Land) Tile(i int) Tile {
	columns := l.column - l.firstColumn + 1
	return NewTile(l.zone, l.south, l.firstColumn+i%columns, l.firstRow+i/columns)
}

// Box returns the box around all tiles of the block.
func (l Land) Box() Box {
	b := l.Tile(0).Box()
	for i := range l.Tiles() {
		b = b.Union(l.Tile(i).Box())
	}
	return b
}

// Inside returns a box that the tiles of the block cover without a gap, so that whatever is drawn
// in it lies on some tile. UTM squares are curved in degrees; the box stays inside all four edges.
func (l Land) Inside() Box {
	b := World()
	columns := l.column - l.firstColumn + 1
	for i := range l.Tiles() {
		t := l.Tile(i)
		column, row := l.firstColumn+i%columns, l.firstRow+i/columns
		// Only the outer edges of the block bound it.
		for step := range 11 {
			along := float64(step) / 10
			if column == l.firstColumn {
				lon, _ := t.At(0, along)
				b.West = max(b.West, lon)
			}
			if column == l.column {
				lon, _ := t.At(1, along)
				b.East = min(b.East, lon)
			}
			if row == l.firstRow {
				_, lat := t.At(along, 1)
				b.South = max(b.South, lat)
			}
			if row == l.row {
				_, lat := t.At(along, 0)
				b.North = min(b.North, lat)
			}
		}
	}
	const margin = 0.01 // degrees, for the rounding of coordinates
	return Box{Round6(b.West + margin), Round6(b.South + margin), Round6(b.East - margin), Round6(b.North - margin)}
}

// Sample is the block in which the first generated items lie: the eastern Sahara between 19 and 24
// degrees east and 18 and 22 degrees north (northern Chad, southern Libya, north-western Sudan).
func Sample() Land { return Land{"sample", 34, false, 3, 7, 20, 23} }

// Lands returns all other blocks, one after another around the world.
func Lands() []Land {
	return []Land{
		{"central-europe", 33, false, 3, 6, 52, 57},
		{"great-plains", 14, false, 3, 6, 34, 52},
		{"amazon", 20, true, 3, 7, 89, 96},
		{"siberia", 45, false, 4, 5, 61, 73},
		{"central-asia", 42, false, 3, 6, 45, 57},
		{"india", 44, false, 2, 5, 20, 29},
		{"china", 48, false, 3, 6, 28, 44},
		{"australia", 53, true, 2, 7, 67, 78},
		{"southern-africa", 35, true, 2, 7, 69, 86},
		{"western-sahara", 31, false, 2, 7, 17, 35},
		{"central-africa", 35, false, 2, 7, 1, 8},
		{"arabia", 38, false, 3, 6, 20, 31},
		{"canada", 13, false, 3, 6, 55, 65},
		{"brazil", 23, true, 2, 7, 78, 90},
		{"volga", 38, false, 4, 6, 56, 66},
		{"mongolia", 48, false, 3, 6, 48, 55},
	}
}
