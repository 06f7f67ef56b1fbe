package prometheus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/internal/ports"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// patience is how long a real server may take for what it does within a second or two.
const patience = 60 * time.Second

// startServer starts Debian's Prometheus with the flags; it scrapes the address each second.
func startServer(t *testing.T, scrape string, flags ...string) (address string) {
	t.Helper()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		if os.Getenv("STACRUN_REQUIRE_TOOLS") == "1" {
			t.Fatal("prometheus is not installed; apt-get install prometheus")
		}
		t.Skip("prometheus is not installed")
	}
	dir := t.TempDir()
	config := "global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
	if scrape != "" {
		config += fmt.Sprintf("scrape_configs: [{job_name: stacrun, static_configs: [{targets: [%q]}]}]\n", scrape)
	}
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	address = ports.Free(t)
	var log bytes.Buffer
	command := exec.Command(program, append([]string{
		"--config.file=" + file, "--storage.tsdb.path=" + filepath.Join(dir, "data"), "--web.listen-address=" + address,
	}, flags...)...)
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return address
}

// query asks the server until it knows the value of an expression.
func query(t *testing.T, address, expression string) float64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for ctx.Err() == nil {
		var answer struct {
			Error string `json:"error"`
			Data  struct {
				Result []struct {
					Value [2]any `json:"value"`
				} `json:"result"`
			} `json:"data"`
		}
		target := "http://" + address + "/api/v1/query?query=" + url.QueryEscape(expression)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err == nil {
			_ = json.NewDecoder(resp.Body).Decode(&answer)
			resp.Body.Close()
		}
		if len(answer.Data.Result) == 1 {
			text, _ := answer.Data.Result[0].Value[1].(string)
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
		if answer.Error != "" {
			t.Fatalf("%s: %s", expression, answer.Error)
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s: no value within %v", expression, patience)
	return 0
}

// accepts sees whether the server understands an expression.
func accepts(t *testing.T, address, expression string) {
	t.Helper()
	query(t, address, "vector(1)") // it is up
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/api/v1/query?query="+url.QueryEscape(expression), nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", expression, body)
	}
}

func TestRealPrometheus(t *testing.T) {
	const search = `{label="GET /search",warm_up="false"}`
	common := map[string]float64{
		`stacrun_requests_total{label="GET /search",code="200",warm_up="false"}`: 95,
		`sum(stacrun_requests_total{warm_up="false"})`:                           130,
		`sum(stacrun_request_failures_total{warm_up="false"})`:                   15,
		`stacrun_request_faults_total{fault="reset"}`:                            5,
		`stacrun_iterations_started_total{warm_up="false"}`:                      30,
		`stacrun_iterations_dropped_total{warm_up="true"} > 0`:                   1,
		`stacrun_users`: 4,
	}
	classic := map[string]float64{
		`stacrun_request_response_time_seconds_count` + search:                                        100,
		`stacrun_request_response_time_seconds_bucket{label="GET /search",le="0.05",warm_up="false"}`: 50,
	}
	native := map[string]float64{
		`histogram_count(stacrun_request_response_time_seconds` + search + `)`:         100,
		`histogram_sum(stacrun_request_response_time_seconds` + search + `)`:           5.5,
		`histogram_quantile(0.9, stacrun_request_response_time_seconds` + search + `)`: .09,
	}
	for _, tt := range []struct {
		name  string
		flags []string
		want  []map[string]float64
		push  bool
	}{
		{"scraped as text", nil, []map[string]float64{common, classic}, false},
		{"scraped with native histograms", []string{"--enable-feature=native-histograms"}, []map[string]float64{common, native}, false},
		{"pushed", []string{"--web.enable-remote-write-receiver"}, []map[string]float64{common, classic}, true},
		{"pushed with native histograms", []string{"--web.enable-remote-write-receiver", "--enable-feature=native-histograms"}, []map[string]float64{common, classic, native}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := reporttest.Run(t.TempDir())
			run.Started = time.Now().Add(-15 * time.Second)
			o := reporttest.Outcome()
			var server string
			if tt.push {
				server = startServer(t, "", tt.flags...)
				query(t, server, "vector(1)") // it is up
				p := New(Options{RemoteWrite: address(t, "http://"+server+"/api/v1/write")})
				feed(t, p, run)
				if err := p.End(o); err != nil || len(o.Notices) > 0 {
					t.Fatal(err, o.Notices)
				}
			} else {
				p := New(Options{Listen: "127.0.0.1:0"})
				feed(t, p, run)
				defer p.End(o)
				server = startServer(t, p.Address(), tt.flags...)
			}
			for _, expression := range expressions(t) {
				accepts(t, server, strings.NewReplacer("$__rate_interval", "5s", "$instance", ".*", "$execution", ".*", "$label", ".*").Replace(expression))
			}
			for _, want := range tt.want {
				for expression, value := range want {
					got := query(t, server, expression)
					if d := got - value; d > value/20 || -d > value/20 || value == float64(int(value)) && d != 0 {
						t.Errorf("%s: %v, want %v", expression, got, value)
					}
				}
			}
		})
	}
}
