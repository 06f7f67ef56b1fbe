package config

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestStudiesAreDecoded(t *testing.T) {
	text, err := os.ReadFile("testdata/studies.good.yml")
	if err != nil {
		t.Fatal(err)
	}
	file, found := Load(context.Background(), nil, Options{Documents: []Document{{Name: "studies.yml", Text: text}}})
	if found.HasErrors() {
		t.Fatal(found)
	}
	b, c, k := file.Studies.Benchmark, file.Studies.Compare, file.Studies.Capacity
	if diff := cmp.Diff([]int{10, 50}, b.Users); diff != "" {
		t.Error(diff)
	}
	if len(b.Addresses) != 2 || b.Addresses[1].Value != "http://127.0.0.1:8087" || b.RunTime.V != time.Minute || !b.WarmUp.Set || b.WarmUp.V != 0 || !b.Ingest.V {
		t.Errorf("%+v", b)
	}
	row := c.List[0]
	if c.Repeats.V != 6 || c.Precision.V != 2 || row.Title != "more users" || len(row.Variants) != 2 {
		t.Errorf("%+v", c)
	}
	if diff := cmp.Diff([]string{"execution.0.concurrency=32"}, row.Variants[1].Overrides); diff != "" || row.Variants[1].Name != "thirty-two" {
		t.Errorf("%s %s", row.Variants[1].Name, diff)
	}
	if len(k.Objectives) != 2 || k.Objectives[1].Value != "fail<1%" || k.From.V != 10 || k.Precision.V != 5 || k.Step.V != 20*time.Second {
		t.Errorf("%+v", k)
	}
}
