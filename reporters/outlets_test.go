package reporters

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
)

func TestBuildOutlets(t *testing.T) {
	got, diags := build(
		module("prometheus"), module("prometheus", "remote-write=http://127.0.0.1:9090/api/v1/write", "buckets=[100ms 1s]", "histograms=classic"),
		module("otlp"), module("influx", "bucket=b"), module("influx", "database=d", "url=https://influx.example:8086/"),
		module("statsd", "format=dogstatsd"), module("jsonlines"), module("jsonlines", "url=tcp://127.0.0.1:5170"),
		module("webhook", "url=https://hooks.example/x", "on=[criterion failure]"),
	)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	want := []string{
		"prometheus.Prometheus", "prometheus.Prometheus", "otlp.OTLP", "influx.Influx", "influx.Influx", "statsd.StatsD",
		"jsonlines.JSONLines", "jsonlines.JSONLines", "webhook.Webhook", "json.JSON",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMistakesOfOutlets(t *testing.T) {
	for _, tt := range []struct {
		module config.Module
		want   string
	}{
		{module("prometheus", "remote-write=9090"), `f.yml:2:9 invalid-option: remote-write of prometheus is no address: an address must begin with http:// or https:// | write remote-write: http://HOST:PORT/PATH`},
		{module("prometheus", "buckets=[1s 100ms]"), `f.yml:2:9 invalid-option: buckets of prometheus must be ascending durations up to 1h, not "100ms"`},
		{module("otlp", "endpoint=grpc://x/secret"), `f.yml:2:9 invalid-option: endpoint of otlp is no address: an address must begin`},
		{module("influx"), `f.yml:1:5 missing-option: influx needs either bucket (version 2 and 3) or database (version 1) | write {module: influx`},
		{module("influx", "bucket=b", "database=d"), `f.yml:1:5 missing-option: influx needs either bucket`},
		{module("statsd", "address=localhost"), `f.yml:2:9 invalid-option: address of statsd must be HOST:PORT, not "localhost"`},
		{module("jsonlines", "filename=x", "url=tcp://x:1"), `f.yml:2:9 invalid-option: jsonlines has both filename and url | list the module twice`},
		{module("webhook"), `f.yml:1:5 missing-option: webhook needs url | write {module: webhook, url: "${WEBHOOK_URL}"}`},
		{module("webhook", "url=https://x/", "on=[end fail]"), `f.yml:3:9 invalid-option: on of webhook must be end or failure or criterion, not "fail"`},
	} {
		_, diags := build(tt.module)
		if len(diags) != 1 {
			t.Errorf("%s: %v", tt.want, diags)
			continue
		}
		d := diags[0]
		got := d.Pos.String() + " " + d.Code + ": " + d.Message + " | " + d.Hint
		if !strings.HasPrefix(got, tt.want) || strings.Contains(got, "secret") {
			t.Errorf("\ngot  %s\nwant %s", got, tt.want)
		}
	}
}
