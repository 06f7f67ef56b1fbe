package ingest

import (
	"encoding/json"
	"errors"

	"github.com/tidwall/gjson"
)

// with returns a JSON object in which a member has the given string value; the order is kept, and a new
// member is put in front.
func with(object []byte, key, value string) ([]byte, error) {
	quoted, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	dst := make([]byte, 1, len(object)+len(key)+len(quoted)+8)
	dst[0] = '{'
	found := false
	add := func(name, raw string) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, name...), ':'), raw...)
	}
	root := gjson.ParseBytes(object)
	if !root.Get(key).Exists() {
		add(`"`+key+`"`, string(quoted))
		found = true
	}
	root.ForEach(func(name, v gjson.Result) bool {
		switch {
		case name.String() != key:
			add(name.Raw, v.Raw)
		case !found:
			add(name.Raw, string(quoted))
			found = true
		}
		return true
	})
	return append(dst, '}'), nil
}

// PrepareCollection gives a collection document the wanted id and the type that strict servers demand
// and old files lack.
func PrepareCollection(text []byte, id string) ([]byte, error) {
	if !gjson.ValidBytes(text) || !gjson.ParseBytes(text).IsObject() {
		return nil, errors.New("collection document is not a JSON object")
	}
	text, err := with(text, "type", "Collection")
	if err != nil || id == "" {
		return text, err
	}
	return with(text, "id", id)
}

// DefaultCollection is filled when neither the caller nor the items name another.
const DefaultCollection = "test-collection"

// plainCollection is the document of a collection of which nothing but the id is known.
func plainCollection(id string) []byte {
	document, _ := json.Marshal(map[string]any{ // strings and lists can always be encoded
		"type": "Collection", "stac_version": "1.0.0", "id": id, "description": id, "license": "proprietary", "links": []any{},
		"extent": map[string]any{
			"spatial":  map[string]any{"bbox": [][]float64{{-180, -90, 180, 90}}},
			"temporal": map[string]any{"interval": [][]any{{nil, nil}}},
		},
	})
	return document
}

// PrepareItem makes an item belong to the collection and returns its id.
func PrepareItem(text []byte, collection string) (prepared []byte, id string, err error) {
	if !gjson.ValidBytes(text) || !gjson.ParseBytes(text).IsObject() {
		return nil, "", errors.New("item is not a JSON object")
	}
	id = gjson.GetBytes(text, "id").String()
	if id == "" {
		return nil, "", errors.New("item has no id")
	}
	if gjson.GetBytes(text, "collection").String() == collection {
		return text, id, nil
	}
	prepared, err = with(text, "collection", collection)
	return prepared, id, err
}
