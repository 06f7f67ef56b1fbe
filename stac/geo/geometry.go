package geo

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/peterstace/simplefeatures/geom"
)

// Geometry is a point, line, polygon or a collection of them, validated, in two dimensions.
// It is immutable. The zero value is empty and intersects nothing.
type Geometry struct {
	shape geom.Geometry
	box   Box
}

// ParseGeoJSON reads a GeoJSON geometry object; elevations are dropped. It refuses rings that are
// open or cross themselves, coordinates outside ±180 and ±90, and empty geometries.
func ParseGeoJSON(text []byte) (Geometry, error) {
	if err := checkCoordinates(text); err != nil {
		return Geometry{}, err
	}
	shape, err := geom.UnmarshalGeoJSON(text)
	if err != nil {
		return Geometry{}, fmt.Errorf("geometry: %w", err)
	}
	return newGeometry(shape)
}

// ParseWKT reads a geometry in well-known text, such as POINT(1 2).
func ParseWKT(text string) (Geometry, error) {
	shape, err := geom.UnmarshalWKT(text)
	if err != nil {
		return Geometry{}, fmt.Errorf("geometry: %w", err)
	}
	return newGeometry(shape)
}

// BoxGeometry returns a box as a geometry: a point or a line where it has no area, two polygons
// where it crosses the antimeridian.
func BoxGeometry(b Box) Geometry {
	var parts []geom.Geometry
	for _, part := range b.Parts() {
		parts = append(parts, geom.NewEnvelope(
			geom.XY{X: part.West, Y: part.South}, geom.XY{X: part.East, Y: part.North}).AsGeometry())
	}
	if len(parts) == 1 {
		return Geometry{shape: parts[0], box: b}
	}
	return Geometry{shape: geom.NewGeometryCollection(parts).AsGeometry(), box: b}
}

func newGeometry(shape geom.Geometry) (Geometry, error) {
	if shape.IsEmpty() {
		return Geometry{}, errors.New("geometry is empty")
	}
	shape = shape.Force2D()
	low, _ := shape.Envelope().Min().XY()
	high, _ := shape.Envelope().Max().XY()
	box, err := ParseBox([]float64{low.X, low.Y, high.X, high.Y})
	if err != nil {
		return Geometry{}, fmt.Errorf("geometry: its %w", err)
	}
	return Geometry{shape: shape, box: box}, nil
}

// Box returns the smallest box around the geometry that does not cross the antimeridian.
func (g Geometry) Box() Box { return g.box }

// Empty reports whether the geometry has no points.
func (g Geometry) Empty() bool { return g.shape.IsEmpty() }

// Intersects reports whether two geometries share at least one point.
func (g Geometry) Intersects(o Geometry) bool {
	if g.Empty() || o.Empty() || !g.box.Intersects(o.box) {
		return false
	}
	return geom.Intersects(g.shape, o.shape)
}

// IsPoint reports whether the geometry is a single point, and where.
func (g Geometry) IsPoint() (lon, lat float64, ok bool) {
	p, ok := g.shape.AsPoint()
	if !ok {
		return 0, 0, false
	}
	xy, ok := p.XY()
	return xy.X, xy.Y, ok
}

// checkCoordinates refuses what the library reads leniently: positions of fewer than two numbers.
func checkCoordinates(text []byte) error {
	var shape struct {
		Type        string            `json:"type"`
		Coordinates json.RawMessage   `json:"coordinates"`
		Geometries  []json.RawMessage `json:"geometries"`
	}
	if err := json.Unmarshal(text, &shape); err != nil {
		return fmt.Errorf("geometry is not a GeoJSON object: %w", err)
	}
	switch shape.Type {
	case "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon":
		if len(shape.Coordinates) == 0 {
			return fmt.Errorf("geometry of type %q has no coordinates", shape.Type)
		}
	case "GeometryCollection":
		for _, part := range shape.Geometries {
			if err := checkCoordinates(part); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("geometry has the unknown type %q", shape.Type)
	}
	return nil
}
