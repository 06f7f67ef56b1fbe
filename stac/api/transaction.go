package api

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

func (x *exchange) postCollection() error {
	text, err := x.body()
	if err != nil {
		return err
	}
	c, err := ParseCollection(text)
	if err != nil {
		return err
	}
	if err := x.s.store.PutCollection(x.Context(), c, Create); err != nil {
		return err
	}
	x.w.Header().Set("Location", x.base+c.path)
	x.write(http.StatusCreated, mediaJSON, c.append(nil, x.base))
	return nil
}

func (x *exchange) putCollection() error {
	text, err := x.body()
	if err != nil {
		return err
	}
	return x.replaceCollection(text)
}

func (x *exchange) replaceCollection(text []byte) error {
	c, err := ParseCollection(text)
	if err != nil {
		return err
	}
	if c.ID != x.path[1] {
		return badRequest("collection has the id %q, the path says %q", c.ID, x.path[1])
	}
	if err := x.s.store.PutCollection(x.Context(), c, Replace); err != nil {
		return err
	}
	x.changed(mediaJSON, func(dst []byte) []byte { return c.append(dst, x.base) })
	return nil
}

// changed answers an update: 204, or the new document when the client asks for it (RFC 7240).
func (x *exchange) changed(media string, build func(dst []byte) []byte) {
	if strings.Contains(x.Header.Get("Prefer"), "return=representation") {
		x.w.Header().Set("Preference-Applied", "return=representation")
		x.send(media, build)
		return
	}
	x.w.WriteHeader(http.StatusNoContent)
}

func (x *exchange) patchCollection() error {
	patch, err := x.body()
	if err != nil {
		return err
	}
	x.s.patch.Lock()
	defer x.s.patch.Unlock()
	c, err := x.s.store.Collection(x.Context(), x.path[1])
	if err != nil {
		return err
	}
	text, err := mergePatch(c.Text(), patch)
	if err != nil {
		return err
	}
	return x.replaceCollection(text)
}

func (x *exchange) deleteCollection() error {
	if err := x.s.store.DeleteCollection(x.Context(), x.path[1]); err != nil {
		return err
	}
	x.w.WriteHeader(http.StatusNoContent)
	return nil
}

// postItems takes an Item or an ItemCollection, all of whose items are added or none.
func (x *exchange) postItems() error {
	text, err := x.body()
	if err != nil {
		return err
	}
	if _, err := x.s.store.Collection(x.Context(), x.path[1]); err != nil {
		return err
	}
	if gjson.GetBytes(text, "type").String() == "FeatureCollection" && gjson.ValidBytes(text) {
		return x.postItemCollection(text)
	}
	it, err := ParseItem(text, x.path[1])
	if err != nil {
		return err
	}
	if _, err := x.s.store.PutItems(x.Context(), x.path[1], []*Item{it}, Create); err != nil {
		return err
	}
	x.w.Header().Set("Location", x.base+it.path)
	x.write(http.StatusCreated, mediaGeoJSON, it.append(nil, x.base))
	return nil
}

func (x *exchange) postItemCollection(text []byte) error {
	var items []*Item
	for i, feature := range gjson.GetBytes(text, "features").Array() {
		it, err := ParseItem([]byte(feature.Raw), x.path[1])
		if err != nil {
			return badRequest("features[%d]: %v", i, err)
		}
		items = append(items, it)
	}
	if _, err := x.s.store.PutItems(x.Context(), x.path[1], items, Create); err != nil {
		return err
	}
	return x.json(http.StatusCreated, mediaJSON, summary{Received: len(items), Success: len(items), Skipped: []string{}, Errors: []string{}})
}

func (x *exchange) putItem() error {
	text, err := x.body()
	if err != nil {
		return err
	}
	return x.replaceItem(text)
}

func (x *exchange) replaceItem(text []byte) error {
	it, err := ParseItem(text, x.path[1])
	if err != nil {
		return err
	}
	if it.ID != x.path[3] {
		return badRequest("item has the id %q, the path says %q", it.ID, x.path[3])
	}
	if _, err := x.s.store.PutItems(x.Context(), x.path[1], []*Item{it}, Replace); err != nil {
		return err
	}
	x.changed(mediaGeoJSON, func(dst []byte) []byte { return it.append(dst, x.base) })
	return nil
}

func (x *exchange) patchItem() error {
	patch, err := x.body()
	if err != nil {
		return err
	}
	x.s.patch.Lock()
	defer x.s.patch.Unlock()
	it, err := x.s.store.Item(x.Context(), x.path[1], x.path[3])
	if err != nil {
		return err
	}
	text, err := mergePatch(it.Text(), patch)
	if err != nil {
		return err
	}
	return x.replaceItem(text)
}

// deleteItem answers 204 whether the item was there or not: what was asked for holds, and a repeat after a lost answer is no
// mistake. stac-fastapi answers 404 then, which stac-api-validator takes for a fault. A collection that does not exist is 404.
func (x *exchange) deleteItem() error {
	err := x.s.store.DeleteItem(x.Context(), x.path[1], x.path[3])
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusNotFound {
		_, err = x.s.store.Collection(x.Context(), x.path[1])
	}
	if err != nil {
		return err
	}
	x.w.WriteHeader(http.StatusNoContent)
	return nil
}

// summary is the answer to the ingest of many items.
type summary struct {
	Received int      `json:"received"`
	Success  int      `json:"success"`
	Skipped  []string `json:"skipped"`
	Errors   []string `json:"errors"`
}

// bulk takes {"items": {id: item}, "method": "insert"|"upsert"}. Items that are at fault or exist
// already are listed and do not keep the rest from being added.
func (x *exchange) bulk() error {
	text, err := x.body()
	if err != nil {
		return err
	}
	collection := x.path[1]
	if _, err := x.s.store.Collection(x.Context(), collection); err != nil {
		return err
	}
	root := gjson.ParseBytes(text)
	if !gjson.ValidBytes(text) || !root.Get("items").IsObject() {
		return badRequest("the body is not {\"items\": {id: item, …}}")
	}
	mode := CreateMissing
	switch method := root.Get("method").String(); method {
	case "", "insert":
	case "upsert":
		mode = Upsert
	default:
		return badRequest("method %q is neither insert nor upsert", method)
	}
	answer := summary{Skipped: []string{}, Errors: []string{}}
	var items []*Item
	root.Get("items").ForEach(func(id, feature gjson.Result) bool {
		answer.Received++
		it, err := ParseItem([]byte(feature.Raw), collection)
		if err == nil && it.ID != id.String() {
			err = badRequest("item has the id %q, its key is %q", it.ID, id.String())
		}
		if err != nil {
			answer.Errors = append(answer.Errors, err.Error())
			return true
		}
		items = append(items, it)
		return true
	})
	if answer.Skipped, err = x.s.store.PutItems(x.Context(), collection, items, mode); err != nil {
		return err
	}
	if answer.Skipped == nil {
		answer.Skipped = []string{}
	}
	answer.Success = len(items) - len(answer.Skipped)
	return x.json(http.StatusOK, mediaJSON, answer)
}

// mergePatch applies a JSON merge patch (RFC 7386), keeping the order of members.
func mergePatch(target, patch []byte) ([]byte, error) {
	if !gjson.ValidBytes(patch) || !gjson.ParseBytes(patch).IsObject() {
		return nil, badRequest("the patch is not a JSON object")
	}
	if bytesDepth(patch) > 200 {
		return nil, badRequest("the patch is nested deeper than 200")
	}
	return []byte(merge(gjson.ParseBytes(target), gjson.ParseBytes(patch))), nil
}

func merge(target, patch gjson.Result) string {
	if !patch.IsObject() {
		return patch.Raw
	}
	var list []member
	if target.IsObject() {
		target.ForEach(func(key, value gjson.Result) bool {
			list = append(list, member{key.String(), value.Raw})
			return true
		})
	}
	patch.ForEach(func(key, value gjson.Result) bool {
		at := slices.IndexFunc(list, func(m member) bool { return m.key == key.String() })
		switch {
		case value.Type == gjson.Null:
			if at >= 0 {
				list = slices.Delete(list, at, at+1)
			}
		case at >= 0:
			list[at].raw = merge(gjson.Parse(list[at].raw), value)
		default:
			list = append(list, member{key.String(), merge(gjson.Result{}, value)})
		}
		return true
	})
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quoted(m.key))
		b.WriteByte(':')
		b.WriteString(m.raw)
	}
	b.WriteByte('}')
	return b.String()
}

// bytesDepth returns how deep brackets are nested, those inside strings counted too.
func bytesDepth(text []byte) (deepest int) {
	depth := 0
	for _, c := range text {
		switch c {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}
