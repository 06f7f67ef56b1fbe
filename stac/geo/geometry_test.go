package geo

import (
	"fmt"
	"testing"
)

func TestParseGeoJSON(t *testing.T) {
	tests := map[string]struct {
		text string
		bad  bool
	}{
		"point":               {text: `{"type":"Point","coordinates":[1,2]}`},
		"point with height":   {text: `{"type":"Point","coordinates":[1,2,3]}`},
		"multipoint":          {text: `{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}`},
		"line":                {text: `{"type":"LineString","coordinates":[[1,2],[3,4]]}`},
		"multiline":           {text: `{"type":"MultiLineString","coordinates":[[[1,2],[3,4]]]}`},
		"polygon":             {text: `{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}`},
		"polygon with hole":   {text: `{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[1,1],[2,1],[2,2],[1,1]]]}`},
		"multipolygon":        {text: `{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]]]}`},
		"collection":          {text: `{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]}]}`},
		"unknown type":        {text: `{"type":"Circle","coordinates":[1,2]}`, bad: true},
		"no type":             {text: `{"coordinates":[1,2]}`, bad: true},
		"no coordinates":      {text: `{"type":"Point"}`, bad: true},
		"one number":          {text: `{"type":"Point","coordinates":[1]}`, bad: true},
		"open ring":           {text: `{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]]]}`, bad: true},
		"ring crosses itself": {text: `{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}`, bad: true},
		"beyond the pole":     {text: `{"type":"Point","coordinates":[1,91]}`, bad: true},
		"empty":               {text: `{"type":"MultiPoint","coordinates":[]}`, bad: true},
		"empty collection":    {text: `{"type":"GeometryCollection","geometries":[]}`, bad: true},
		"not an object":       {text: `[1,2]`, bad: true},
		"not JSON":            {text: `{`, bad: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseGeoJSON([]byte(tt.text)); (err != nil) != tt.bad {
				t.Errorf("error %v, want one: %v", err, tt.bad)
			}
		})
	}
}

func TestIntersectsIsExact(t *testing.T) {
	triangle, err := ParseGeoJSON([]byte(`{"type":"Polygon","coordinates":[[[0,0],[10,0],[0,10],[0,0]]]}`))
	if err != nil {
		t.Fatal(err)
	}
	for wkt, want := range map[string]bool{
		"POINT(1 1)": true, "POINT(9 9)": false, "POINT(5 5)": true, "POINT(0 0)": true,
		"LINESTRING(6 6, 9 9)": false, "LINESTRING(4 4, 9 9)": true,
		"POLYGON((8 8, 9 8, 9 9, 8 8))": false, "POLYGON((-1 -1, 20 -1, 20 20, -1 20, -1 -1))": true,
		"MULTIPOINT((9 9), (1 1))":                                     true,
		"GEOMETRYCOLLECTION(POINT(9 9), LINESTRING(8 8, 1 1))":         true,
		"GEOMETRYCOLLECTION(POINT(9 9), LINESTRING(8 8, 7 7))":         false,
		"MULTIPOLYGON(((8 8, 9 8, 9 9, 8 8)), ((1 1, 2 1, 2 2, 1 1)))": true,
	} {
		shape, err := ParseWKT(wkt)
		if err != nil {
			t.Fatal(wkt, err)
		}
		if triangle.Intersects(shape) != want || shape.Intersects(triangle) != want {
			t.Errorf("%s: want %v", wkt, want)
		}
	}
	if (Geometry{}).Intersects(triangle) {
		t.Error("an empty geometry intersects nothing")
	}
}

func TestIsPoint(t *testing.T) {
	p, err := ParseWKT("POINT(1 2)")
	if err != nil {
		t.Fatal(err)
	}
	if lon, lat, ok := p.IsPoint(); fmt.Sprint(lon, lat, ok) != "1 2 true" {
		t.Error(lon, lat, ok)
	}
}
