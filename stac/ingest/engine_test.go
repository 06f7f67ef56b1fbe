package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// fakeEngine is the store below a fake API.
type fakeEngine struct {
	mu       sync.Mutex
	api      *fake
	mapping  string
	full     int // so many documents are turned away at first
	refuse   string
	document string // the last one
	fault    string
}

const plainMapping = `{"items_c_1":{"mappings":{"properties":{"geometry":{"type":"geo_shape"},"assets":{"type":"object","enabled":false}}}}}`

func (e *fakeEngine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	switch {
	case r.URL.Path == "/items_c/_mapping":
		if e.mapping == "" {
			w.WriteHeader(404)
			return
		}
		_, _ = io.WriteString(w, e.mapping)
	case r.URL.Path == "/items_c/_refresh":
		_, _ = io.WriteString(w, "{}")
	case r.URL.Path == "/_bulk":
		if r.Header.Get("Content-Type") != "application/x-ndjson" || !bytes.HasSuffix(body, []byte("\n")) {
			e.fault = "not NDJSON"
		}
		var items []string
		lines := bufio.NewScanner(bytes.NewReader(body))
		for lines.Scan() {
			create := gjson.Get(lines.Text(), "create")
			lines.Scan()
			id := gjson.Get(lines.Text(), "id").String()
			e.document = lines.Text()
			status := 201
			_, exists := e.api.items[id]
			switch {
			case create.Get("_id").String() != id+"|c" || create.Get("_index").String() != "items_c":
				e.fault = "wrong action " + create.Raw
			case e.full > 0:
				e.full--
				status = 429
			case id == e.refuse:
				status = 400
			case exists:
				status = 409
			default:
				e.api.items[id] = time.Now()
			}
			items = append(items, fmt.Sprintf(`{"create":{"status":%d,"error":{"type":"t","reason":"r"}}}`, status))
		}
		_, _ = io.WriteString(w, `{"errors":true,"items":[`+strings.Join(items, ",")+`]}`)
	default:
		w.WriteHeader(405)
	}
}

func TestEngineIsWrittenToDirectly(t *testing.T) {
	api := &fake{collections: map[string]bool{}, items: map[string]time.Time{"i3": {}}, noBulk: true}
	engine := &fakeEngine{api: api, mapping: plainMapping, full: 5, refuse: "i9"}
	apiServer, engineServer := httptest.NewServer(api), httptest.NewServer(engine)
	defer apiServer.Close()
	defer engineServer.Close()
	report, err := Run(t.Context(), source(120), Options{Address: apiServer.URL, Collection: "c", Engine: engineServer.URL, Parallel: 1, Wait: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	got := [...]int{report.Sent, report.Created, report.Existing, report.Failed, report.Verified, report.Missing, api.posts}
	if want := [...]int{120, 118, 1, 1, 119, 0, 0}; got != want || engine.fault != "" {
		t.Errorf("got %v, want %v; %s; %+v", got, want, engine.fault, report.Errors)
	}
	if report.Errors[0].Status != 400 || report.Errors[0].Text != "t: r" || report.Engine != engineServer.URL {
		t.Errorf("%+v", report)
	}
}

func TestEngineGetsWhatTheAPIWouldStore(t *testing.T) {
	e := &engine{items: "http://api/"}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	text, err := e.document([]byte(`{"id":"i","properties":{"a":1.50},
		"links":[{"rel":"self","href":"x"},{"rel":"about","href":"/y"},{"rel":"via","href":"https://z/"}]}`), "c d", now)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsRune(text, '\n') {
		t.Error("more than one line")
	}
	var got, want any
	_ = json.Unmarshal(text, &got)
	_ = json.Unmarshal([]byte(`{"id":"i","properties":{"a":1.5,"created":"2026-01-02T03:04:05.000000Z","updated":"2026-01-02T03:04:05.000000Z"},
		"links":[{"rel":"about","href":"http://api/y"},{"rel":"via","href":"https://z/"},
		{"rel":"collection","href":"http://api/collections/c%20d","type":"application/json"}]}`), &want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEngineThatCannotBeFilled(t *testing.T) {
	tests := map[string]struct{ mapping, address, want string }{
		"no such index":    {"", "", "is it the engine of the API"},
		"split by date":    {`{"a":{},"b":{}}`, "", "in 2 indexes"},
		"another's index":  {`{"a":{"mappings":{"properties":{"geometry":{"type":"object"}}}}}`, "", "no geo_shape"},
		"assets indexed":   {`{"a":{"mappings":{"properties":{"geometry":{"type":"geo_shape"},"assets":{"type":"object"}}}}}`, "", "STAC_INDEX_ASSETS"},
		"no address":       {"", "localhost:9200", "is not an http URL"},
		"nobody is there":  {"", "http://127.0.0.1:1", "is it running"},
		"password is kept": {"", "http://u:geheim@127.0.0.1:1", "u:xxxxx@"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := &fake{collections: map[string]bool{}, items: map[string]time.Time{}}
			apiServer := httptest.NewServer(api)
			defer apiServer.Close()
			engineServer := httptest.NewServer(&fakeEngine{api: api, mapping: tt.mapping})
			defer engineServer.Close()
			address := tt.address
			if address == "" {
				address = engineServer.URL
			}
			_, err := Run(t.Context(), source(1), Options{Address: apiServer.URL, Collection: "c", Engine: address})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}
