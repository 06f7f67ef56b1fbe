package stac

import (
	"fmt"
	"strings"
	"time"

	"github.com/stacrun/stacrun/stac/geo"
	"github.com/stacrun/stacrun/stac/item"
)

// Area is a named part of the globe that generated items cover without a gap.
type Area struct {
	Name string
	Box  geo.Box
	// From and To are the times of the first and last item in the area: for "sample" those of the
	// shipped sample of 100 items, for the others those of the first pass over their tiles.
	From, To time.Time
}

// Areas returns the areas in the order of generation: "sample", where the first 2,000 generated items
// lie, then the blocks of land that later items are spread over.
func Areas() []Area {
	g := item.New(item.DefaultSeed, "")
	_, from, to := g.Extent(item.DefaultCount)
	areas := []Area{{"sample", geo.Sample().Inside(), from, to}}
	from, to = g.WorldSpan()
	for _, land := range geo.Lands() {
		areas = append(areas, Area{land.Name, land.Inside(), from, to})
	}
	return areas
}

// FindArea returns the area of that name, or an error that lists the names there are.
func FindArea(name string) (Area, error) {
	areas := Areas()
	names := make([]string, len(areas))
	for i, a := range areas {
		if a.Name == name {
			return a, nil
		}
		names[i] = a.Name
	}
	return Area{}, fmt.Errorf("there is no area %q; there are %s", name, strings.Join(names, ", "))
}
