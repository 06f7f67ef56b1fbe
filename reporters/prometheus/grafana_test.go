package prometheus

import (
	"os"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	grafanaprometheus "github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// TestDashboardIsGrafanas reads the dashboard by the types that Grafana generates from its own schema: nothing that they do not know,
// nothing missing that they want.
func TestDashboardIsGrafanas(t *testing.T) {
	known := cog.NewRuntime()
	known.RegisterPanelcfgVariant(stat.VariantConfig())
	known.RegisterPanelcfgVariant(timeseries.VariantConfig())
	known.RegisterPanelcfgVariant(heatmap.VariantConfig())
	known.RegisterPanelcfgVariant(table.VariantConfig())
	known.RegisterDataqueryVariant(grafanaprometheus.VariantConfig())
	text, err := os.ReadFile("../../deploy/grafana/dashboards/stacrun.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard.Dashboard
	if err := d.UnmarshalJSONStrict(text); err != nil && err.Error() != "" { // an empty list of mistakes is not nil there
		t.Error(err)
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
	if len(d.Panels) < 20 {
		t.Errorf("%d panels", len(d.Panels))
	}
	// A key that does not exist must not pass, else the above tells nothing.
	var wrong dashboard.Dashboard
	if err := wrong.UnmarshalJSONStrict([]byte(`{"titel": "x", "schemaVersion": 39}`)); err == nil || err.Error() == "" {
		t.Error("an unknown key is not told")
	}
}
