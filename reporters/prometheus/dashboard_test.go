package prometheus

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// everyName gives the names of all series of requests, load, generator and criteria, for a run that has some of each.
func everyName() map[string]bool {
	ledger := outlet.NewLedger(report.Run{})
	for _, iv := range reporttest.Intervals() {
		iv.Load = append(iv.Load, metrics.Load{Execution: "open", Open: true})
		ledger.Add(iv, reporttest.Verdicts())
	}
	names := map[string]bool{}
	for _, f := range ledger.Read(outlet.Shape{}) {
		names[familyName(&f)] = true
	}
	return names
}

// expressions gives every query of the dashboard.
func expressions(t *testing.T) (list []string) {
	t.Helper()
	text, err := os.ReadFile("../../deploy/grafana/dashboards/stacrun.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		UID    string
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Query any }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			list = append(list, target.Expr)
		}
	}
	if len(list) < 20 || dashboard.UID != "stacrun" {
		t.Fatalf("%d queries of the dashboard %q", len(list), dashboard.UID)
	}
	return list
}

func TestDashboardAsksForWhatThereIs(t *testing.T) {
	names := everyName()
	asked := regexp.MustCompile(`stacrun_[a-z0-9_]+`)
	for _, expression := range expressions(t) {
		for _, name := range asked.FindAllString(expression, -1) {
			if !names[name] && !names[strings.TrimSuffix(name, "_bucket")] {
				t.Errorf("%s: there is no %s", expression, name)
			}
		}
	}
}

func TestDocumentsNameEverySeries(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics-out.md")
	if err != nil {
		t.Fatal(err)
	}
	// Those told in a row of "…", and those of transactions, are named by a rule.
	documents := strings.ReplaceAll(string(text), "`…_", "`stacrun_iterations_")
	for name := range everyName() {
		if !strings.HasPrefix(name, "stacrun_transaction") && !strings.Contains(documents, "`"+name+"`") {
			t.Errorf("docs/metrics-out.md does not name %s", name)
		}
	}
}
