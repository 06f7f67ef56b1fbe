package api

import (
	"strings"
	"testing"
)

// probe is an item that filters are tried on.
func probe(t *testing.T) *Item {
	t.Helper()
	it, err := ParseItem([]byte(`{"type":"Feature","stac_version":"1.0.0","id":"A1",
		"geometry":{"type":"Polygon","coordinates":[[[20,20],[21,20],[21,21],[20,21],[20,20]]]},
		"properties":{"datetime":"2023-06-10T12:00:00Z","eo:cloud_cover":12.5,"platform":"sentinel-2a","gsd":10,
		"flag":true,"none":null,"instruments":["msi"],"created":"2023-06-11T00:00:00.000Z","note":"50% of Bob's x_y"},
		"assets":{},"links":[]}`), "c1")
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// Each row says the same in both encodings of CQL2; one of them may be missing.
func TestFilters(t *testing.T) {
	tests := []struct {
		text, json string
		want       truth
	}{
		{`eo:cloud_cover = 12.5`, `{"op":"=","args":[{"property":"eo:cloud_cover"},12.5]}`, yes},
		{`"eo:cloud_cover" <> 12.5`, `{"op":"<>","args":[{"property":"eo:cloud_cover"},12.5]}`, no},
		{`properties.eo:cloud_cover < 13`, `{"op":"<","args":[{"property":"properties.eo:cloud_cover"},13]}`, yes},
		{`eo:cloud_cover<=12.4`, `{"op":"<=","args":[{"property":"eo:cloud_cover"},12.4]}`, no},
		{`eo:cloud_cover >= -1.5e1`, `{"op":">=","args":[{"property":"eo:cloud_cover"},-15]}`, yes},
		{`10 < eo:cloud_cover`, `{"op":"<","args":[10,{"property":"eo:cloud_cover"}]}`, yes},
		{`gsd > eo:cloud_cover`, `{"op":">","args":[{"property":"gsd"},{"property":"eo:cloud_cover"}]}`, no},
		{`platform = 'sentinel-2a'`, `{"op":"=","args":[{"property":"platform"},"sentinel-2a"]}`, yes},
		{`flag = TRUE`, `{"op":"=","args":[{"property":"flag"},true]}`, yes},
		{`flag = 'true'`, `{"op":"=","args":[{"property":"flag"},"true"]}`, no},
		{`missing = 1`, `{"op":"=","args":[{"property":"missing"},1]}`, unknown},
		{`NOT missing = 1`, `{"op":"not","args":[{"op":"=","args":[{"property":"missing"},1]}]}`, unknown},
		{`missing = 1 OR gsd = 10`, `{"op":"or","args":[{"op":"=","args":[{"property":"missing"},1]},{"op":"=","args":[{"property":"gsd"},10]}]}`, yes},
		{`missing = 1 AND gsd = 11`, `{"op":"and","args":[{"op":"=","args":[{"property":"missing"},1]},{"op":"=","args":[{"property":"gsd"},11]}]}`, no},
		{`missing IS NULL`, `{"op":"isNull","args":[{"property":"missing"}]}`, yes},
		{`none is null`, `{"op":"isNull","args":[{"property":"none"}]}`, yes},
		{`gsd IS NOT NULL`, `{"op":"not","args":[{"op":"isNull","args":[{"property":"gsd"}]}]}`, yes},
		{`instruments IS NULL`, `{"op":"isNull","args":[{"property":"instruments"}]}`, no},
		{`platform LIKE 'sent%2_'`, `{"op":"like","args":[{"property":"platform"},"sent%2_"]}`, yes},
		{`platform LIKE '%2b'`, `{"op":"like","args":[{"property":"platform"},"%2b"]}`, no},
		{`platform NOT LIKE '%2b'`, `{"op":"not","args":[{"op":"like","args":[{"property":"platform"},"%2b"]}]}`, yes},
		{`platform LIKE 'sentinel-2a_'`, `{"op":"like","args":[{"property":"platform"},"sentinel-2a_"]}`, no},
		{`platform LIKE '%'`, `{"op":"like","args":[{"property":"platform"},"%"]}`, yes},
		{`note LIKE '50\% of Bob''s x\_y'`, `{"op":"like","args":[{"property":"note"},"50\\% of Bob's x\\_y"]}`, yes},
		{`note LIKE '%x%y'`, `{"op":"like","args":[{"property":"note"},"%x%y"]}`, yes},
		{`eo:cloud_cover BETWEEN 12 AND 13`, `{"op":"between","args":[{"property":"eo:cloud_cover"},12,13]}`, yes},
		{`eo:cloud_cover NOT BETWEEN 12 AND 13`, `{"op":"not","args":[{"op":"between","args":[{"property":"eo:cloud_cover"},12,13]}]}`, no},
		{``, `{"op":"between","args":[{"property":"eo:cloud_cover"},[0,50]]}`, yes},
		{`platform IN ('x', 'sentinel-2a')`, `{"op":"in","args":[{"property":"platform"},["x","sentinel-2a"]]}`, yes},
		{`gsd IN (1, 2)`, `{"op":"in","args":[{"property":"gsd"},[1,2]]}`, no},
		{`gsd NOT IN (1, 2)`, `{"op":"not","args":[{"op":"in","args":[{"property":"gsd"},[1,2]]}]}`, yes},
		{`missing NOT IN (1)`, `{"op":"not","args":[{"op":"in","args":[{"property":"missing"},[1]]}]}`, unknown},
		{`id = 'A1' AND collection = 'c1'`, `{"op":"and","args":[{"op":"=","args":[{"property":"id"},"A1"]},{"op":"=","args":[{"property":"collection"},"c1"]}]}`, yes},
		{`datetime >= TIMESTAMP('2023-06-10T13:00:00+01:00')`, `{"op":">=","args":[{"property":"datetime"},{"timestamp":"2023-06-10T13:00:00+01:00"}]}`, yes},
		{`datetime < '2023-06-10T12:00:00.1Z'`, `{"op":"<","args":[{"property":"datetime"},"2023-06-10T12:00:00.1Z"]}`, yes},
		{`created > DATE('2023-06-10')`, `{"op":">","args":[{"property":"created"},{"date":"2023-06-10"}]}`, yes},
		{`T_AFTER(datetime, TIMESTAMP('2023-06-10T11:59:59Z'))`, `{"op":"t_after","args":[{"property":"datetime"},{"timestamp":"2023-06-10T11:59:59Z"}]}`, yes},
		{`T_BEFORE(datetime, DATE('2023-06-10'))`, `{"op":"t_before","args":[{"property":"datetime"},{"date":"2023-06-10"}]}`, no},
		{`T_INTERSECTS(datetime, DATE('2023-06-10'))`, `{"op":"t_intersects","args":[{"property":"datetime"},{"date":"2023-06-10"}]}`, yes},
		{`T_INTERSECTS(datetime, INTERVAL('..', '2023-06-09'))`, `{"op":"t_intersects","args":[{"property":"datetime"},{"interval":["..","2023-06-09"]}]}`, no},
		{`T_DURING(created, INTERVAL('2023-06-10T00:00:00Z', '..'))`, `{"op":"t_during","args":[{"property":"created"},{"interval":["2023-06-10T00:00:00Z",".."]}]}`, yes},
		{`S_INTERSECTS(geometry, POINT(20.5 20.5))`, `{"op":"s_intersects","args":[{"property":"geometry"},{"type":"Point","coordinates":[20.5,20.5]}]}`, yes},
		{`s_intersects(geometry, POLYGON((0 0, 1 0, 1 1, 0 0)))`, `{"op":"s_intersects","args":[{"property":"geometry"},{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}]}`, no},
		{`S_INTERSECTS(geometry, BBOX(20.9, 20.9, 30, 30))`, `{"op":"s_intersects","args":[{"property":"geometry"},{"bbox":[20.9,20.9,30,30]}]}`, yes},
		{`(gsd = 10 OR gsd = 11) AND NOT (platform = 'x')`, ``, yes},
		{`gsd = 11 OR gsd = 10 AND platform = 'x'`, ``, no},
		{`TRUE`, `true`, yes},
		{`"and" = 1 OR true`, ``, yes},
	}
	it := probe(t)
	for _, tt := range tests {
		if tt.text != "" {
			c, err := parseFilterText(tt.text)
			if err != nil {
				t.Errorf("%s: %v", tt.text, err)
			} else if got := c.test(it); got != tt.want {
				t.Errorf("%s: got %d, want %d", tt.text, got, tt.want)
			}
		}
		if tt.json != "" {
			c, err := parseFilterJSON(tt.json)
			if err != nil {
				t.Errorf("%s: %v", tt.json, err)
			} else if got := c.test(it); got != tt.want {
				t.Errorf("%s: got %d, want %d", tt.json, got, tt.want)
			}
		}
	}
}

func TestBadFilters(t *testing.T) {
	for _, text := range []string{
		"", "gsd", "gsd =", "= 1", "gsd == 1", "gsd != 1", "gsd = 1 AND", "gsd = 1 gsd = 2", "(gsd = 1", "gsd = 1)", "gsd = 'x",
		"gsd LIKE 1", "gsd BETWEEN 1 OR 2", "gsd IN ()", "gsd IN (1", "gsd IS 1", "NOT", "T_AFTER(datetime)", "T_AFTER(datetime, 1)",
		"T_AFTER(datetime, TIMESTAMP('2023-06-10'))", "S_INTERSECTS(geometry, POINT(1))", "S_INTERSECTS(gsd, POINT(1 2))",
		"S_INTERSECTS(geometry, POINT(1 2)", "S_CROSSES(geometry, POINT(1 2))", "datetime > DATE('10 June')", "gsd = #",
		"T_INTERSECTS(datetime, INTERVAL('2023-06-10', '2023-06-09'))", strings.Repeat("(", 200) + "gsd = 1" + strings.Repeat(")", 200),
		strings.Repeat("NOT ", 200) + "gsd = 1", "gsd = 1" + strings.Repeat(" ", maxFilterBytes),
	} {
		if _, err := parseFilterText(text); err == nil {
			t.Errorf("%.60q is accepted", text)
		}
	}
	for _, text := range []string{
		"", "{", "[]", "1", `"gsd"`, `{"op":"="}`, `{"op":"=","args":[]}`, `{"op":"=","args":[{"property":"gsd"}]}`,
		`{"op":"!=","args":[{"property":"gsd"},1]}`, `{"op":"not","args":[true,true]}`, `{"op":"and","args":[]}`, `{"op":"and","args":[1]}`,
		`{"op":"like","args":[{"property":"gsd"},1]}`, `{"op":"in","args":[{"property":"gsd"},1]}`, `{"op":"between","args":[{"property":"gsd"},1]}`,
		`{"op":"s_intersects","args":[{"property":"geometry"},{"type":"Circle"}]}`, `{"op":"s_intersects","args":[{"property":"gsd"},{"type":"Point","coordinates":[1,2]}]}`,
		`{"op":"t_after","args":[{"property":"datetime"},1]}`, `{"op":"t_after","args":[1,{"date":"2023-06-10"}]}`,
		`{"op":"=","args":[{"property":"gsd"},{"timestamp":"x"}]}`, `{"op":"=","args":[{"property":"gsd"},{"x":1}]}`,
		strings.Repeat(`{"op":"not","args":[`, 200) + "true" + strings.Repeat("]}", 200),
	} {
		if _, err := parseFilterJSON(text); err == nil {
			t.Errorf("%.60q is accepted", text)
		}
	}
}

func TestQueryExtension(t *testing.T) {
	it := probe(t)
	for query, want := range map[string]truth{
		`{"eo:cloud_cover":{"lte":12.5}}`: yes, `{"eo:cloud_cover":{"gt":12,"lt":13}}`: yes, `{"eo:cloud_cover":{"gt":13}}`: no,
		`{"eo:cloud_cover":{"lt":"13"}}`: yes, `{"eo:cloud_cover":{"eq":"12.5"}}`: yes, `{"eo:cloud_cover":{"neq":"12.5"}}`: no,
		`{"platform":{"startsWith":"sent"}}`: yes, `{"platform":{"endsWith":"2a"}}`: yes, `{"platform":{"contains":"x"}}`: no,
		`{"platform":{"in":["a","sentinel-2a"]}}`: yes, `{"instruments":{"in":["msi"]}}`: yes, `{"instruments":{"in":["x"]}}`: no,
		`{"missing":{"eq":1}}`: unknown, `{"properties.gsd":{"eq":10},"platform":{"neq":"x"}}`: yes, `{}`: yes,
	} {
		c, err := parseQuery(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
		} else if got := c.test(it); got != want {
			t.Errorf("%s: got %d, want %d", query, got, want)
		}
	}
	for _, query := range []string{"", "[]", `{"a":1}`, `{"a":{"like":1}}`, `{"a":{"in":1}}`, `{"a":{"startsWith":1}}`, `{"a":{"eq":{}}}`} {
		if _, err := parseQuery(query); err == nil {
			t.Errorf("%s is accepted", query)
		}
	}
}

func FuzzFilterText(f *testing.F) {
	for _, seed := range []string{
		`eo:cloud_cover < 10 AND S_INTERSECTS(geometry, POINT(20 20))`, `a LIKE 'x%_' OR NOT b IN (1, 'y')`, `T_AFTER(datetime, INTERVAL('..', '2023-01-01'))`,
		`"a b" BETWEEN -1.5e3 AND +2`, `(((a = 1)))`, `a IS NOT NULL`,
	} {
		f.Add(seed)
	}
	it := &Item{Properties: map[string]any{"a": "x", "b": 1.0}}
	f.Fuzz(func(_ *testing.T, text string) {
		if c, err := parseFilterText(text); err == nil {
			c.test(it)
		}
	})
}

func FuzzFilterJSON(f *testing.F) {
	f.Add(`{"op":"and","args":[{"op":"<","args":[{"property":"a"},1]},{"op":"in","args":[{"property":"b"},[1,"x"]]}]}`)
	f.Add(`{"op":"t_after","args":[{"property":"datetime"},{"interval":["..","2023-01-01"]}]}`)
	it := &Item{Properties: map[string]any{"a": "x", "b": 1.0}}
	f.Fuzz(func(_ *testing.T, text string) {
		if c, err := parseFilterJSON(text); err == nil {
			c.test(it)
		}
	})
}

func FuzzToken(f *testing.F) {
	order := newOrder([]sortKey{{property{"eo:cloud_cover"}, true}})
	f.Add(cursor{numberValue(1), textValue("a"), textValue("b")}.token())
	f.Fuzz(func(t *testing.T, token string) {
		c, err := parseToken(token, order)
		if err != nil {
			return
		}
		again, err := parseToken(c.token(), order)
		if err != nil || len(again) != len(c) {
			t.Errorf("%q: %v", token, err)
		}
		c.before(order, &Item{})
	})
}
