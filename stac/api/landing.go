package api

import "encoding/json"

const (
	relQueryables = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
	relSortables  = "http://www.opengis.net/def/rel/ogc/1.0/sortables"
	mediaOpenAPI  = "application/vnd.oai.openapi+json;version=3.0"
)

// conformsTo lists the classes that the server keeps in full.
func (s *Server) conformsTo() []string {
	list := []string{
		"https://api.stacspec.org/v1.0.0/core",
		"https://api.stacspec.org/v1.0.0/collections",
		"https://api.stacspec.org/v1.0.0/ogcapi-features",
		"https://api.stacspec.org/v1.0.0/item-search",
		"https://api.stacspec.org/v1.0.0/item-search#sort",
		"https://api.stacspec.org/v1.1.0/item-search#sort",
		"https://api.stacspec.org/v1.0.0/item-search#fields",
		"https://api.stacspec.org/v1.0.0/item-search#query",
		"https://api.stacspec.org/v1.0.0/item-search#filter",
		"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
		"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
		"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30",
		"http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/filter",
		"http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/features-filter",
		"http://www.opengis.net/spec/cql2/1.0/conf/basic-cql2",
		"http://www.opengis.net/spec/cql2/1.0/conf/advanced-comparison-operators",
		"http://www.opengis.net/spec/cql2/1.0/conf/basic-spatial-functions",
		"http://www.opengis.net/spec/cql2/1.0/conf/cql2-json",
		"http://www.opengis.net/spec/cql2/1.0/conf/cql2-text",
	}
	if !s.options.ReadOnly {
		list = append(list,
			"https://api.stacspec.org/v1.0.0/ogcapi-features/extensions/transaction",
			"https://api.stacspec.org/v1.0.0/collections/extensions/transaction")
	}
	return list
}

// link is one link of a document that is built with encoding/json.
type link struct {
	Rel    string          `json:"rel"`
	Type   string          `json:"type"`
	Href   string          `json:"href"`
	Title  string          `json:"title,omitempty"`
	Method string          `json:"method,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
}

// json sends a small document.
func (x *exchange) json(status int, media string, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	x.write(status, media, text)
	return nil
}

func (x *exchange) landing() error {
	collections, err := x.s.store.Collections(x.Context())
	if err != nil {
		return err
	}
	links := []link{
		{Rel: "self", Type: mediaJSON, Href: x.base + "/"},
		{Rel: "root", Type: mediaJSON, Href: x.base + "/"},
		{Rel: "service-desc", Type: mediaOpenAPI, Href: x.base + "/api"},
		{Rel: "service-doc", Type: "text/html", Href: x.base + "/api.html"},
		{Rel: "conformance", Type: mediaJSON, Href: x.base + "/conformance"},
		{Rel: "data", Type: mediaJSON, Href: x.base + "/collections"},
		{Rel: "search", Type: mediaGeoJSON, Href: x.base + "/search", Method: "GET"},
		{Rel: "search", Type: mediaGeoJSON, Href: x.base + "/search", Method: "POST"},
		{Rel: relQueryables, Type: mediaSchema, Href: x.base + "/queryables"},
		{Rel: relSortables, Type: mediaSchema, Href: x.base + "/sortables"},
	}
	for _, c := range collections {
		links = append(links, link{Rel: "child", Type: mediaJSON, Href: x.base + c.path, Title: c.ID})
	}
	return x.json(200, mediaJSON, struct {
		Type        string   `json:"type"`
		Version     string   `json:"stac_version"`
		ID          string   `json:"id"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		ConformsTo  []string `json:"conformsTo"`
		Links       []link   `json:"links"`
	}{
		"Catalog", "1.0.0", "stacrun", x.s.options.Title,
		"A STAC API for tests and demonstrations that lives in one process", x.s.conformsTo(), links,
	})
}

func (x *exchange) conformance() error {
	return x.json(200, mediaJSON, map[string]any{"conformsTo": x.s.conformsTo()})
}

func (x *exchange) ping() error { return x.json(200, mediaJSON, map[string]string{"message": "PONG"}) }

// health asks the store, unlike ping.
func (x *exchange) health() error {
	if _, err := x.s.store.Collections(x.Context()); err != nil {
		return &Error{503, "Unavailable", err.Error()}
	}
	return x.json(200, mediaJSON, map[string]any{"status": "UP"})
}
