package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// engine is the search engine below a stac-fastapi API for OpenSearch or Elasticsearch. Its indexes and their mappings
// are the API's affair: only an index that the API has made is filled, in the form in which the API stores items.
type engine struct {
	client *client
	shown  string // address without a password
	alias  string // that the API writes to
	items  string // base of the links that the API would write
}

// aliasPrefix and unwanted make the name of an alias of a collection id, as stac-fastapi does.
const (
	aliasPrefix = "items_"
	unwanted    = `\/*?"<>| ,#:`
)

// openEngine finds the index of the collection, which the API makes with the collection.
func (r *run) openEngine(ctx context.Context) (*engine, error) {
	u, err := url.Parse(r.Engine)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("engine address %q is not an http URL such as http://127.0.0.1:9200", r.Engine)
	}
	clean := strings.Map(func(c rune) rune {
		if strings.ContainsRune(unwanted, c) {
			return -1
		}
		return c
	}, r.Collection)
	e := &engine{
		client: &client{http: r.client.http, base: strings.TrimRight(r.Engine, "/"), timeout: r.Timeout, observed: r.throttle.observe},
		shown:  u.Redacted(), alias: aliasPrefix + clean, items: r.Address + "/",
	}
	a, err := e.client.do(ctx, http.MethodGet, "/"+url.PathEscape(e.alias)+"/_mapping", nil)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reach the engine %s: %w: is it running there?", e.shown, err)
	case a.status == http.StatusNotFound:
		return nil, fmt.Errorf("the engine %s has no index %s: is it the engine of the API %s?", e.shown, e.alias, r.Address)
	case a.status != http.StatusOK || !gjson.ValidBytes(a.body):
		return nil, fmt.Errorf("GET %s/%s/_mapping answered %d: %s", e.shown, e.alias, a.status, a.text())
	}
	indexes := gjson.ParseBytes(a.body).Map()
	if len(indexes) != 1 {
		return nil, fmt.Errorf("the engine %s keeps the collection in %d indexes, split by date: fill it through the API instead", e.shown, len(indexes))
	}
	for name, index := range indexes {
		assets := index.Get("mappings.properties.assets")
		if index.Get("mappings.properties.geometry.type").String() != "geo_shape" {
			return nil, fmt.Errorf("index %s of %s does not hold items of an API: its geometry is no geo_shape", name, e.shown)
		}
		if assets.Exists() && assets.Get("enabled").Raw != "false" {
			return nil, fmt.Errorf("index %s of %s indexes assets (STAC_INDEX_ASSETS), which changes how items are stored: fill it through the API instead", name, e.shown)
		}
	}
	r.report.Engine = e.shown
	return e, nil
}

// sendDirect writes a batch by _bulk. What the engine has no room for just now (429) is sent again.
func (r *run) sendDirect(ctx context.Context, batch []piece) {
	for try := 0; len(batch) > 0; try++ {
		if try > 0 && pause(ctx, try, 0) != nil {
			return
		}
		var body []byte
		if body, batch = r.engineBody(batch); len(batch) == 0 {
			return
		}
		begin := time.Now()
		a, err := r.engine.client.doAs(ctx, http.MethodPost, "/_bulk", "application/x-ndjson", body)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.failAll(batch, 0, err.Error())
			return
		case a.status != http.StatusOK || !gjson.ValidBytes(a.body):
			r.failAll(batch, a.status, a.text())
			return
		}
		answers := gjson.GetBytes(a.body, "items").Array()
		if len(answers) != len(batch) {
			r.failAll(batch, a.status, fmt.Sprintf("_bulk answered for %d of %d items", len(answers), len(batch)))
			return
		}
		var again []piece
		r.update(func(report *Report) {
			report.Bytes += int64(len(body))
			for i, answer := range answers {
				result := answer.Get("create")
				status := int(result.Get("status").Int())
				if status == http.StatusTooManyRequests && try+1 < attempts {
					again = append(again, batch[i])
					continue
				}
				r.count(report, batch[i], status, result.Get("error.type").String()+": "+result.Get("error.reason").String())
			}
		})
		if len(again) > 0 {
			r.throttle.observe(time.Since(begin), true)
		}
		batch = again
	}
}

func (r *run) failAll(batch []piece, status int, text string) {
	if status == http.StatusOK { // it is no success of theirs
		status = 0
	}
	r.update(func(report *Report) {
		for _, p := range batch {
			r.count(report, p, status, text)
		}
	})
}

// engineBody makes the lines of a _bulk request, and returns the items that are in it: those that cannot be are counted
// as failed.
func (r *run) engineBody(batch []piece) (body []byte, sent []piece) {
	now := time.Now()
	for _, p := range batch {
		document, err := r.engine.document(p.text, r.Collection, now)
		if err == nil {
			var action []byte
			if action, err = json.Marshal(map[string]any{"create": map[string]string{"_index": r.engine.alias, "_id": p.id + "|" + r.Collection}}); err == nil {
				body = append(append(append(append(body, action...), '\n'), document...), '\n')
				sent = append(sent, p)
				continue
			}
		}
		r.failAll([]piece{p}, 0, "not sent: "+err.Error())
	}
	return body, sent
}

// document is an item as the API stores it: without the links that it makes itself, with one to the collection, and
// with the times of creation and change.
func (e *engine) document(text []byte, collection string, now time.Time) ([]byte, error) {
	var item map[string]json.RawMessage
	if err := json.Unmarshal(text, &item); err != nil { // also brings it on one line
		return nil, err
	}
	var links []map[string]any
	if raw := item["links"]; len(raw) > 0 {
		if err := json.Unmarshal(raw, &links); err != nil {
			return nil, errors.New("links is not a list of objects")
		}
	}
	links = slices.DeleteFunc(links, func(l map[string]any) bool {
		rel, _ := l["rel"].(string)
		return slices.Contains([]string{"self", "item", "parent", "collection", "root", "items"}, rel)
	})
	for _, l := range links {
		if href, _ := l["href"].(string); !strings.HasPrefix(href, "http://") && !strings.HasPrefix(href, "https://") {
			l["href"] = e.items + strings.TrimLeft(href, "/")
		}
	}
	links = append(links, map[string]any{"rel": "collection", "href": e.items + "collections/" + url.PathEscape(collection), "type": "application/json"})
	properties := map[string]json.RawMessage{}
	if raw := item["properties"]; len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &properties); err != nil {
			return nil, errors.New("properties is not an object")
		}
	}
	stamp := json.RawMessage(`"` + now.UTC().Format("2006-01-02T15:04:05.000000Z") + `"`)
	if _, ok := properties["created"]; !ok {
		properties["created"] = stamp
	}
	properties["updated"] = stamp
	for name, value := range map[string]any{"links": links, "properties": properties} {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		item[name] = raw
	}
	return json.Marshal(item)
}

// refresh lets what was written show.
func (e *engine) refresh(ctx context.Context) error {
	a, err := e.client.do(ctx, http.MethodPost, "/"+url.PathEscape(e.alias)+"/_refresh", nil)
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("answered %d: %s", a.status, a.text())
	}
	if err != nil {
		return fmt.Errorf("refresh %s of %s: %w", e.alias, e.shown, err)
	}
	return nil
}
