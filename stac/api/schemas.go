package api

// schemaOf answers queryables and sortables: a JSON Schema with its own URL as $id.
func (x *exchange) schemaOf(title string, names []string) error {
	if len(x.path) > 1 {
		if _, err := x.s.store.Collection(x.Context(), x.path[1]); err != nil {
			return err
		}
	}
	properties := map[string]any{}
	for _, name := range names {
		switch p := (property{name}); {
		case name == "geometry":
			properties[name] = map[string]any{"$ref": "https://geojson.org/schema/Geometry.json"}
		case p.temporal():
			properties[name] = map[string]any{"type": "string", "format": "date-time"}
		case name == "eo:cloud_cover":
			properties[name] = map[string]any{"type": "number", "minimum": 0, "maximum": 100}
		case name == "gsd" || name == "proj:epsg" || name == "sentinel:utm_zone":
			properties[name] = map[string]any{"type": "number"}
		default:
			properties[name] = map[string]any{"type": "string"}
		}
	}
	return x.json(200, mediaSchema, map[string]any{
		"$schema": "https://json-schema.org/draft/2019-09/schema", "$id": x.base + x.URL.EscapedPath(),
		"type": "object", "title": title, "properties": properties, "additionalProperties": true,
	})
}

// named lists the properties that clients may expect; any other one may be used as well.
func named() []string {
	return []string{
		"id", "collection", "datetime", "start_datetime", "end_datetime", "created", "updated", "platform",
		"constellation", "gsd", "eo:cloud_cover", "proj:epsg", "sentinel:utm_zone", "sentinel:grid_square",
	}
}

func (x *exchange) queryables() error {
	return x.schemaOf("Queryables", append([]string{"geometry"}, named()...))
}

func (x *exchange) sortables() error { return x.schemaOf("Sortables", named()) }
