package item

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/stac/geo"
)

type decoded struct {
	ID         string          `json:"id"`
	Collection string          `json:"collection"`
	BBox       []float64       `json:"bbox"`
	Geometry   json.RawMessage `json:"geometry"`
	Properties struct {
		Datetime time.Time `json:"datetime"`
		Clouds   float64   `json:"eo:cloud_cover"`
		EPSG     int       `json:"proj:epsg"`
	} `json:"properties"`
	Assets map[string]struct {
		Roles     []string  `json:"roles"`
		Transform []float64 `json:"proj:transform"`
	} `json:"assets"`
}

func decode(t *testing.T, text []byte) (d decoded) {
	t.Helper()
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return d
}

func TestSameSeedSameBytesWhateverTheOrder(t *testing.T) {
	a, b := New(7, ""), New(7, "")
	for _, n := range []int{3, 0, 2500, 41, 1_000_000} {
		if !bytes.Equal(a.Append(nil, n), b.Append(nil, n)) {
			t.Errorf("item %d differs", n)
		}
	}
	n := 0
	for text := range a.Items(40, 5) {
		if !bytes.Equal(text, b.Append(nil, 40+n)) {
			t.Errorf("item %d differs from the same item in a stream", 40+n)
		}
		n++
	}
	if n != 5 {
		t.Errorf("%d items", n)
	}
	if bytes.Equal(a.Append(nil, 41), New(8, "").Append(nil, 41)) {
		t.Error("another seed gives the same item")
	}
	if a.ID(41) != New(8, "").ID(41) {
		t.Error("ids depend on the seed")
	}
}

func TestItemsAreWellFormedAndTheirOwn(t *testing.T) {
	g := New(DefaultSeed, "my collection \"quoted\"")
	seen := map[string]bool{}
	full, short, clear, overcast := 0, 0, 0, 0
	for n := range 3000 {
		text := g.Append(nil, n)
		d := decode(t, text)
		if seen[d.ID] || d.ID != g.ID(n) || d.Collection != g.Collection() {
			t.Fatalf("item %d: id %q, collection %q", n, d.ID, d.Collection)
		}
		seen[d.ID] = true
		shape, err := geo.ParseGeoJSON(d.Geometry)
		if err != nil {
			t.Fatalf("item %d: %v", n, err)
		}
		if box, err := geo.ParseBox(d.BBox); err != nil || box != shape.Box() {
			t.Fatalf("item %d: bbox %v, geometry in %v, %v", n, box, shape.Box(), err)
		}
		if !d.Properties.Datetime.Equal(g.Datetime(n)) || d.Properties.Clouds < 0 || d.Properties.Clouds > 100 || len(d.Assets) != 20 {
			t.Fatalf("item %d: %+v", n, d.Properties)
		}
		switch size := len(text); {
		case d.Assets["B01"].Roles != nil && size > 9_000 && size < 13_000:
			full++
		case d.Assets["B01"].Roles == nil && size > 6_800 && size < 10_500:
			short++
		default:
			t.Fatalf("item %d has %d bytes", n, size)
		}
		if d.Properties.Clouds == 0 {
			clear++
		}
		if d.Properties.Clouds > 95 {
			overcast++
		}
	}
	if full < 1400 || short < 1400 {
		t.Errorf("%d items in the full style, %d in the short one", full, short)
	}
	if clear < 150 || clear > 330 || overcast < 750 {
		t.Errorf("%d items are clear, %d overcast", clear, overcast)
	}
}

func TestFirstItemsCoverTheSampleAreaWithoutAGap(t *testing.T) {
	g := New(DefaultSeed, "")
	var shapes []geo.Geometry
	for n := range SampleTiles {
		shape, err := geo.ParseGeoJSON(decode(t, g.Append(nil, n)).Geometry)
		if err != nil {
			t.Fatal(err)
		}
		shapes = append(shapes, shape)
	}
	area := geo.Sample().Inside()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		lon, lat := area.Point(rng)
		point := geo.BoxGeometry(geo.Box{West: lon, South: lat, East: lon, North: lat})
		hit := false
		for _, shape := range shapes {
			hit = hit || shape.Intersects(point)
		}
		if !hit {
			t.Fatalf("nothing at %v %v", lon, lat)
		}
	}
}

func TestExtentIsThatOfTheItems(t *testing.T) {
	g := New(DefaultSeed, "")
	for _, count := range []int{1, 19, 20, 21, 100, 1999, 2001, 2600, 5000} {
		t.Run(strconv.Itoa(count), func(t *testing.T) {
			box, from, to := g.Extent(count)
			first, last := g.Datetime(0), g.Datetime(0)
			for n := range count {
				p := g.place(n)
				if !box.Covers(p.tile.Box()) {
					t.Fatalf("item %d lies outside %v", n, box)
				}
				if p.taken.Before(first) {
					first = p.taken
				}
				if p.taken.After(last) {
					last = p.taken
				}
			}
			if !from.Equal(first) || !to.Equal(last) {
				t.Errorf("from %v to %v, want %v to %v", from, to, first, last)
			}
		})
	}
}

func TestIDsOfAMillionItemsAreUnique(t *testing.T) {
	g := New(DefaultSeed, "")
	seen := make(map[string]struct{}, 1_000_000)
	for n := range 1_000_000 {
		id := g.ID(n)
		if _, twice := seen[id]; twice {
			t.Fatalf("id %s of item %d is taken", id, n)
		}
		seen[id] = struct{}{}
	}
	if _, _, to := g.Extent(1_000_000); to.Year() > 2026 {
		t.Errorf("the last item was taken in the future, %v", to)
	}
}

func TestCollection(t *testing.T) {
	text := New(DefaultSeed, "").CollectionJSON(DefaultCount)
	var c struct {
		Type   string `json:"type"`
		ID     string `json:"id"`
		Extent struct {
			Spatial  struct{ BBox [][]float64 }
			Temporal struct{ Interval [][]time.Time }
		}
		ItemAssets map[string]any `json:"item_assets"`
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if c.Type != "Collection" || c.ID != DefaultCollection || len(c.ItemAssets) != 20 || len(c.Extent.Spatial.BBox) != 1 {
		t.Errorf("%+v", c)
	}
	if strings.Contains(string(text), "null") {
		t.Error("a member is null")
	}
}

func BenchmarkAppend(b *testing.B) {
	g := New(DefaultSeed, "")
	var buffer []byte
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		buffer = g.Append(buffer[:0], n)
	}
}
