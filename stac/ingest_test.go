package stac_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stacrun/stacrun/stac"
	"github.com/stacrun/stacrun/stac/api"
	"github.com/stacrun/stacrun/stac/ingest"
)

func TestIngestGeneratedIntoEmbedded(t *testing.T) {
	for name, noBulk := range map[string]bool{"bulk": false, "one by one": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := api.NewMemory()
			server := httptest.NewServer(api.New(store, api.Options{}))
			defer server.Close()
			last := 0
			o := ingest.Options{Address: server.URL, NoBulk: noBulk, Progress: func(p ingest.Progress) { last = p.Done }}
			r, err := ingest.Run(t.Context(), stac.Generated(1, "", 130), o)
			if err != nil {
				t.Fatal(err)
			}
			if !r.OK() || !r.New || r.Created != 130 || r.Existing != 0 || r.Verified != 130 || r.Bulk == noBulk || last != 130 {
				t.Errorf("first time: %+v", r)
			}
			r, err = ingest.Run(t.Context(), stac.Generated(1, "", 130), o)
			if err != nil {
				t.Fatal(err)
			}
			if !r.OK() || r.New || r.Created != 0 || r.Existing != 130 || r.Verified != 130 {
				t.Errorf("second time: %+v", r)
			}
			if n, err := store.Count(t.Context(), "test-collection"); err != nil || n != 130 {
				t.Errorf("store holds %d items, %v", n, err)
			}
		})
	}
}
