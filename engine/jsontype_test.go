package engine

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExtractedValuesKeepTheirJSONType: what was no string in an answer is none in the next body, and a text everywhere else.
func TestExtractedValuesKeepTheirJSONType(t *testing.T) {
	var mu sync.Mutex
	var got []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodPost {
			mu.Lock()
			got = append(got, r.URL.RequestURI()+" "+string(body))
			mu.Unlock()
		}
		fmt.Fprint(w, `{"id":7,"big":12345678901234567890,"f":1.50,"t":true,"n":null,"s":"5","o":{"a":[1,"x"]},"l":["p",2,null]}`)
	}))
	defer srv.Close()
	snap := runPlan(t, compile(t, fmt.Sprintf(`
execution: [{iterations: 1, scenario: s}]
scenarios:
  s:
    default-address: %q
    variables: {nothing: null, five: 5}
    headers: {Content-Type: application/json}
    requests:
    - url: /doc
      extract-jsonpath: {id: $.id, big: $.big, f: $.f, t: $.t, n: $.n, s: $.s, o: $.o, all: {jsonpath: '$.l[*]', match-no: -1}}
      extract-regexp: {digits: '"id":(\d+)'}
    - {url: /one, method: POST, body: {id: '${id}', big: '${big}', f: '${f}', t: '${t}', n: '${n}', s: '${s}', o: '${o}', nothing: '${nothing}', five: '${five}', digits: '${digits}'}}
    - {url: '/text?id=${id}&o=${o}', method: POST, body: {joined: 'id ${id} of ${o}', '${id}': 1, sum: '${int(id) + 1}', same: '${id == "7"}'}}
    - {set-variables: {copy: '${id}'}}
    - {url: /copy, method: POST, body: ['${copy}', '${all_2}', '${all_1}']}
    - {foreach: x in all, do: [{url: /each, method: POST, body: {x: '${x}'}}]}
`, srv.URL)), RunOptions{})
	if total := snap.Total(); total.Failed > 0 {
		t.Errorf("%d failed: %v", total.Failed, snap.Errors())
	}
	want := []string{
		`/one {"id":7,"big":12345678901234567890,"f":1.50,"t":true,"n":null,"s":"5","o":{"a":[1,"x"]},"nothing":null,"five":5,"digits":"7"}`,
		`/text?id=7&o=%7B%22a%22:[1,%22x%22]%7D {"joined":"id 7 of {\"a\":[1,\"x\"]}","7":1,"sum":8,"same":true}`,
		`/copy [7,2,"p"]`,
		`/each {"x":"p"}`, `/each {"x":2}`, `/each {"x":null}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRowsKeepTheirJSONType: what was no text in JSON lines or in the document is none in a JSON body. CSV knows only texts.
func TestRowsKeepTheirJSONType(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lines := file("rows.jsonl", `{"i":1,"f":1.50,"big":12345678901234567890,"t":true,"n":null,"s":"5","o":{"a":[1,"x"]}}`+"\n"+`{"i":"2"}`+"\n")
	for _, tt := range []struct {
		name, source, body string
		want               []string
	}{
		{"JSON lines", "{path: " + lines + ", format: jsonl}", "{i: '${i}', f: '${f}', big: '${big}', t: '${t}', n: '${n}', s: '${s}', o: '${o}', joined: 'n${i}${n}'}",
			[]string{`/?i=1 {"i":1,"f":1.50,"big":12345678901234567890,"t":true,"n":null,"s":"5","o":{"a":[1,"x"]},"joined":"n1"}`}},
		{"a later row has other types", "{path: " + lines + ", format: jsonl}", "['${i}']", []string{`/?i=1 [1]`, `/?i=2 ["2"]`}},
		{"rows of the document", "{rows: [{i: 1, f: 1.50, t: true, n: null, s: '5', o: {a: [1, x]}, z: 007, h: 0x10}]}", "{i: '${i}', f: '${f}', t: '${t}', n: '${n}', s: '${s}', o: '${o}', z: '${z}', h: '${h}'}",
			[]string{`/?i=1 {"i":1,"f":1.50,"t":true,"n":null,"s":"5","o":{"a":[1,"x"]},"z":"007","h":16}`}},
		{"CSV", "{path: " + file("rows.csv", "i,t\n1,true\n") + "}", "['${i}', '${t}', '${int(i)}']", []string{`/?i=1 ["1","true",1]`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSeen(t, nil)
			snap := runPlan(t, compile(t, fmt.Sprintf(`
execution: [{iterations: %d, scenario: s}]
scenarios:
  s:
    default-address: %q
    headers: {Content-Type: application/json}
    data-sources: [%s]
    requests: [{url: '/?i=${i}', label: a, method: POST, body: %s}]
`, len(tt.want), s.URL, tt.source, tt.body)), RunOptions{})
			if total := snap.Total(); total.Failed > 0 {
				t.Errorf("failed: %v", snap.Errors())
			}
			var want []string
			for _, w := range tt.want {
				url, body, _ := strings.Cut(w, " ")
				ct := " Content-Type=application/json"
				want = append(want, "POST "+url+ct+" ["+body+"]")
			}
			wantSeen(t, s, want...)
		})
	}
}

// TestNumbersAreWrittenAsInTheFile: a number of the document is calculated with, and written out as it was written.
func TestNumbersAreWrittenAsInTheFile(t *testing.T) {
	t.Parallel()
	s := newSeen(t, nil)
	snap := script(t, s, `
    headers: {Content-Type: application/json}
    variables: {version: 1.10, exp: 1e3, whole: 2.0, hex: 0x10, id: 00123, n: 5, long: 12345678901234567890}
    requests:
    - '/${version}/${exp}/${whole}/${hex}/${id}/${n}/${long}'
    - {url: '/${exp + 1}/${version * 2}', method: POST, body: {version: '${version}', exp: '${exp}', hex: '${hex}', n: '${n}', id: '${id}'}}
    - {if: '${exp} > 999 && ${whole} == 2', then: [/greater]}
    - {if: 'exp == 1000', then: [/equal]}
`)
	if snap.Total().Failed > 0 {
		t.Errorf("failed: %+v", snap.Errors())
	}
	const ct = " Content-Type=application/json"
	wantSeen(t, s, "GET /1.10/1e3/2.0/16/00123/5/12345678901234567890"+ct,
		`POST /1001/2.2 Content-Type=application/json [{"version":1.10,"exp":1e3,"hex":16,"n":5,"id":"00123"}]`, "GET /greater"+ct, "GET /equal"+ct)
}
