package main

import (
	"encoding/json"
	"testing"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine"
)

// Every case's scenario is one that the product accepts, without a warning.
func TestScenario_isAccepted(t *testing.T) {
	for _, w := range workloads() {
		t.Run(w.Name, func(t *testing.T) {
			scheme := "http"
			if w.TLS {
				scheme = "https"
			}
			text := scenario(job{work: w, users: 10, requests: 101, url: scheme + "://127.0.0.1:1" + w.Path})
			file, list := config.Load(t.Context(), nil, config.Options{Documents: []config.Document{{Name: "bench.yml", Text: []byte(text)}}})
			_, more := engine.Compile(file, engine.Options{})
			for _, d := range append(list, more...) {
				t.Error(d)
			}
		})
	}
}

func TestItem_isJSON(t *testing.T) {
	var v struct {
		Properties struct {
			Cover float64 `json:"eo:cloud_cover"`
		}
	}
	if err := json.Unmarshal(item(), &v); err != nil || v.Properties.Cover != 12.34 {
		t.Errorf("error %v, cloud cover %v", err, v.Properties.Cover)
	}
	if n := len(item()); n < 9_000 || n > 14_000 {
		t.Errorf("an item has %d bytes, want about 12,000", n)
	}
}
