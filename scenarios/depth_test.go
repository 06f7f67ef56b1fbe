package scenarios_test

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// depth runs one of the scenarios that check what an API does, with so many iterations in all.
func depth(t *testing.T, binary, scenario, address string, more ...string) (int, string, summary) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	code, out := run(t, binary, append([]string{
		scenario + ".yml", "--artifacts", dir, "-o", "scenarios." + scenario + ".default-address=" + address, "-o", "settings.seed=1",
		"-o", "execution.0.ramp-up=0", "-o", "execution.0.hold-for=0", "-o", "execution.0.total-iterations=80",
	}, more...)...)
	return code, out, read(t, dir)
}

// labelsOf are the labels with samples.
func labelsOf(s summary) []string {
	var names []string
	for _, l := range s.Labels {
		if l.Count > 0 {
			names = append(names, l.Label)
		}
	}
	return names
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDepthScenariosPassOnTheEmbeddedAPI(t *testing.T) {
	binary := build(t)
	address := serve(t, binary, 100)
	for scenario, want := range map[string][]string{
		"stac-write": {
			"create-item", "searchable after create", "read-item", "update-item", "searchable after update", "read-updated", "delete-item",
			"gone after delete", "read-deleted", "create-bulk", "searchable after bulk", "read-bulk",
		},
		"stac-search-depth": {
			"filter-cql2-json", "filter-cql2-text", "filter-agrees-text", "sort-time-ascending", "sort-time-descending",
			"sort-number-descending", "page-get", "page-post", "page-count", "link-landing", "link-collections", "link-items", "link-item", "link-collection",
		},
	} {
		code, out, s := depth(t, binary, scenario, address)
		if code != 0 || s.Requests.Failed != 0 {
			t.Errorf("%s: exit %d\n%s", scenario, code, out)
		}
		got := labelsOf(s)
		for _, label := range want {
			if !slices.Contains(got, label) {
				t.Errorf("%s: no sample of %s\n%s", scenario, label, out)
			}
		}
		if strings.Contains(out, "skipped") {
			t.Errorf("%s left something out:\n%s", scenario, out)
		}
	}
	if left := get(t, address+"/collections"); strings.Contains(left, "stacrun-write") {
		t.Errorf("the collection was not deleted: %s", left)
	}
}

func TestWhatIsNotAnnouncedIsLeftOut(t *testing.T) {
	binary := build(t)
	address := serve(t, binary, 100, "--read-only")
	code, out, s := depth(t, binary, "stac-write", address)
	if code != 0 || !slices.Contains(labelsOf(s), "skipped: transactions are not announced") || slices.Contains(labelsOf(s), "create-item") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// The checks must see what is wrong.
func TestPagingThatLosesItemsFails(t *testing.T) {
	binary := build(t)
	address := serve(t, binary, 100)
	code, out, _ := depth(t, binary, "stac-search-depth", address, "-o", "scenarios.stac-search-depth.variables.items=101")
	if code != 3 || !strings.Contains(out, "page-count") || strings.Contains(out, "sort-time-ascending: ") {
		t.Errorf("exit %d\n%s", code, out)
	}
}
