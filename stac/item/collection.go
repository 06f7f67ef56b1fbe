package item

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// CollectionJSON returns the collection document of the first count items, with their true extent,
// as compact JSON.
func (g *Generator) CollectionJSON(count int) []byte {
	box, from, to := g.Extent(count)
	return g.collectionJSON(box.AppendJSON(nil), from, to)
}

func (g *Generator) collectionJSON(box []byte, from, to time.Time) []byte {
	type extent struct {
		Spatial struct {
			BBox []json.RawMessage `json:"bbox"`
		} `json:"spatial"`
		Temporal struct {
			Interval [][]string `json:"interval"`
		} `json:"temporal"`
	}
	var e extent
	e.Spatial.BBox = []json.RawMessage{box}
	e.Temporal.Interval = [][]string{{from.Format(time.RFC3339), to.Format(time.RFC3339)}}
	document := struct {
		Type        string          `json:"type"`
		ID          string          `json:"id"`
		Version     string          `json:"stac_version"`
		Extensions  []string        `json:"stac_extensions"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Keywords    []string        `json:"keywords"`
		License     string          `json:"license"`
		Providers   json.RawMessage `json:"providers"`
		Extent      extent          `json:"extent"`
		Summaries   json.RawMessage `json:"summaries"`
		ItemAssets  json.RawMessage `json:"item_assets"`
		Links       json.RawMessage `json:"links"`
	}{
		Type: "Collection", ID: g.collection, Version: Version,
		Extensions:  []string{"https://stac-extensions.github.io/item-assets/v1.0.0/schema.json"},
		Title:       "Synthetic Sentinel-2 L2A",
		Description: "Made-up items in the shape of Sentinel-2 Level 2A scenes on real tiles, for load tests; there are no pictures behind the links",
		Keywords:    []string{"sentinel", "synthetic", "load test"},
		License:     "proprietary",
		Providers: json.RawMessage(`[{"name":"stacrun","description":"made by a generator","roles":["producer","host"],` +
			`"url":"https://example.com/stacrun"}]`),
		Extent: e,
		Summaries: json.RawMessage(`{"platform":["sentinel-2a","sentinel-2b"],"constellation":["sentinel-2"],` +
			`"instruments":["msi"],"gsd":[10],"view:off_nadir":[0]}`),
		ItemAssets: itemAssets(),
		Links: json.RawMessage(`[{"rel":"license","type":"text/html","href":"https://example.com/licence.html"},` +
			`{"rel":"about","type":"text/html","href":"https://example.com/about.html"}]`),
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("item: collection document: %v", err)) // all of it is made here
	}
	return text
}

func itemAssets() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, a := range assets() {
		if i > 0 {
			b.WriteByte(',')
		}
		var bands strings.Builder
		writeBands(&bands, a)
		fmt.Fprintf(&b, `%q:{"title":%q,"type":%q,%s"roles":[%q]}`, a.key, a.title, a.media, bands.String(), a.role)
	}
	b.WriteByte('}')
	return b.Bytes()
}
