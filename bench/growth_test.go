package main

import (
	"testing"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine"
)

// Every variant is one that the product accepts, without a warning.
func TestGrowthScenario_isAccepted(t *testing.T) {
	dir := t.TempDir()
	if _, err := growthVariants("stacrun", dir); err != nil {
		t.Fatal(err)
	}
	for _, rows := range []string{"", rowsFile("10 rows")} {
		text := growthScenario(job{work: workload{Path: "/1k"}, users: 10, requests: 101, url: "http://127.0.0.1:1/1k", dir: dir}, 1000, rows)
		file, list := config.Load(t.Context(), nil, config.Options{Documents: []config.Document{{Name: "bench.yml", Text: []byte(text)}}})
		_, more := engine.Compile(file, engine.Options{})
		for _, d := range append(list, more...) {
			t.Error(d)
		}
	}
}
