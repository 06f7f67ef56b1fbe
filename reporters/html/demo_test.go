package html

import (
	"os"
	"testing"
)

func TestDemo(t *testing.T) {
	dir := os.Getenv("DEMO")
	if dir == "" {
		t.Skip()
	}
	base := madeRun{name: "search", seconds: 120, labels: labelsNamed(6), rate: 200, slowness: 1.2, seed: 2}.run(t)
	for name, m := range map[string]madeRun{
		"closed": {name: "search", seconds: 125, labels: labelsNamed(6), rate: 200, slowness: 1, seed: 1},
		"open":   {name: "search-open", seconds: 300, labels: labelsNamed(12), rate: 120, slowness: 1, seed: 1, open: true, warmUp: 30},
		"large":  {name: "hour", seconds: 3600, labels: labelsNamed(200), rate: 400, slowness: 1, seed: 1},
	} {
		d := m.run(t)
		d.Configuration = "execution:\n- concurrency: 20\n  hold-for: 2m\n  scenario: search\nscenarios:\n  search:\n    requests:\n    - url: /search\n"
		if name == "closed" {
			d.Baseline = base
		}
		f, err := os.Create(dir + "/" + name + ".html")
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(f, d); err != nil {
			t.Fatal(err)
		}
		i, _ := f.Stat()
		t.Log(name, i.Size())
		f.Close()
	}
}
