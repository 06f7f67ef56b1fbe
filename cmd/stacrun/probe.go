package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stacrun/stacrun/stac/item"
	"github.com/stacrun/stacrun/study"
)

// stacProber asks a STAC API a fixed set of questions about the sample collection.
type stacProber struct{}

var _ study.Prober = stacProber{}

// question is a request and how its answer is read.
type question struct {
	name, method, path, body string
	ids                      string // path of the ids in the answer
	ordered                  bool
}

// stacQuestions are answered alike by every STAC API that holds the sample: each says its limit, since defaults differ.
func stacQuestions() []question {
	sample := item.New(item.DefaultSeed, "")
	box, from, to := sample.Extent(item.DefaultCount)
	corners := fmt.Sprintf("%.4f,%.4f,%.4f,%.4f", box.West, box.South, (box.West+box.East)/2, (box.South+box.North)/2)
	middle := from.Add(to.Sub(from) / 2)
	period := from.UTC().Format(time.RFC3339) + "/" + middle.UTC().Format(time.RFC3339)
	collection := item.DefaultCollection
	return []question{
		{"an item by its id", http.MethodGet, "/collections/" + collection + "/items/" + sample.ID(0), "", "id", false},
		{"an item that does not exist", http.MethodGet, "/collections/" + collection + "/items/no-such-item", "", "id", false},
		{"the items of the collection", http.MethodGet, "/collections/" + collection + "/items?limit=200", "", "features.#.id", false},
		{"GET /search with a box", http.MethodGet, "/search?collections=" + collection + "&limit=200&bbox=" + corners, "", "features.#.id", false},
		{"POST /search with a box", http.MethodPost, "/search", `{"collections":["` + collection + `"],"limit":200,"bbox":[` + corners + `]}`, "features.#.id", false},
		{"POST /search with a period", http.MethodPost, "/search", `{"collections":["` + collection + `"],"limit":200,"datetime":"` + period + `"}`, "features.#.id", false},
		{"POST /search with ids", http.MethodPost, "/search", `{"collections":["` + collection + `"],"ids":["` + sample.ID(3) + `","` + sample.ID(7) + `"]}`, "features.#.id", false},
		{
			"POST /search sorted by id", http.MethodPost, "/search",
			`{"collections":["` + collection + `"],"limit":20,"sortby":[{"field":"id","direction":"desc"}]}`, "features.#.id", true,
		},
	}
}

// Probe implements [study.Prober]. A server that is no STAC API has no answers.
func (stacProber) Probe(ctx context.Context, address string) ([]study.Answer, error) {
	client := &http.Client{Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	ask := func(q question) (study.Answer, []byte, error) {
		request, err := http.NewRequestWithContext(ctx, q.method, strings.TrimRight(address, "/")+q.path, bytes.NewReader([]byte(q.body)))
		if err != nil {
			return study.Answer{}, nil, err
		}
		if q.body != "" {
			request.Header.Set("Content-Type", "application/json")
		}
		response, err := client.Do(request)
		if err != nil {
			if inner := errors.Unwrap(err); inner != nil {
				err = inner
			}
			return study.Answer{}, nil, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
		return study.Answer{Question: q.name, Status: response.StatusCode, Ordered: q.ordered}, body, err
	}
	landing, body, err := ask(question{method: http.MethodGet, path: "/"})
	if err != nil {
		return nil, err
	}
	if landing.Status != http.StatusOK || !gjson.GetBytes(body, "stac_version").Exists() {
		return nil, nil
	}
	var answers []study.Answer
	for _, q := range stacQuestions() {
		answer, body, err := ask(q)
		if err != nil {
			return nil, err
		}
		if answer.Status >= http.StatusBadRequest {
			text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 200)]), "\uFFFD")), " ")
			answer.Text = text
		}
		found := gjson.GetBytes(body, q.ids)
		for _, id := range found.Array() {
			answer.IDs = append(answer.IDs, id.String())
		}
		for _, path := range []string{"numberMatched", "context.matched"} {
			if n := gjson.GetBytes(body, path); n.Type == gjson.Number {
				matched := n.Int()
				answer.Matched = &matched
				break
			}
		}
		answers = append(answers, answer)
	}
	return answers, nil
}
