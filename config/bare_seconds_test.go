package config

import (
	"testing"

	"github.com/stacrun/stacrun/diag"
)

func TestBareSeconds(t *testing.T) {
	for text, want := range map[string]string{
		"1h30": "1h30m", "1h 30": "1h 30m", "1d12": "1d12h", "2s500": "2s500ms", "1H30 ": "1H30m", "5ms2": "",
		"30": "", "1.5": "", "1m30": "", "1h30m": "", "1h30s": "", "90m": "", "": "", "1h": "",
	} {
		if _, got := bareSeconds(text); got != want {
			t.Errorf("bareSeconds(%q) = %q, want %q", text, got, want)
		}
	}
}

// A time is doubted wherever one is written; it keeps the meaning that Taurus gives it.
func TestBareSecondsAreDoubted(t *testing.T) {
	file, diags := decodeText(t, `
execution: [{scenario: s, hold-for: 1h30}]
scenarios: {s: {think-time: "uniform(1h5, 2s)", requests: [http://localhost/]}}
reporting: [{module: passfail, criteria: ["p95>2s500", "fail>1% for 1h5"]}]
`)
	if got := file.Executions[0].Load.HoldFor.V.String(); got != "1h0m30s" {
		t.Errorf("hold-for is %s", got)
	}
	want := []string{
		`doc.yml:2:37: 30 without a unit is 30s in "1h30" (write "1h30m" when that is meant, or "1h30s")`,
		`doc.yml:3:29: 5 without a unit is 5s in "1h5" (write "1h5m" when that is meant, or "1h5s")`,
		`doc.yml:4:48: 500 without a unit is 500s in "2s500" (write "2s500ms" when that is meant, or "2s500s")`,
		`doc.yml:4:69: 5 without a unit is 5s in "1h5" (write "1h5m" when that is meant, or "1h5s")`,
	}
	var got []string
	for _, d := range diags {
		if d.Severity == diag.Warning && d.Code == "bare-seconds" {
			got = append(got, d.Pos.String()+": "+d.Message+" ("+d.Hint+")")
		}
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("got  %q\nwant %q", got, want)
			break
		}
	}
}
