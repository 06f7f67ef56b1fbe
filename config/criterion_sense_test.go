package config

import (
	"testing"

	"github.com/stacrun/stacrun/diag"
)

func TestDoubt(t *testing.T) {
	tests := []struct {
		sentence string
		want     string // the warning
		hint     string
	}{
		{"p95<500ms", "this fails when p95 is below 500ms, which is good", `criteria say when a run fails: write "p95>500ms" to fail above it, or what must hold: "assert: 'p95() < 500ms'"`},
		{"p99.9 of search <= 1s", "this fails when p99.9 is below 1s, which is good", `criteria say when a run fails: write "p99.9 of search>1s" to fail above it, or what must hold: "assert: 'p99.9("search") <= 1s'"`},
		{"avg-rt<1s for 5s", "this fails when avg-rt is below 1s, which is good", `criteria say when a run fails: write "avg-rt>1s for 5s" to fail above it`},
		{"slow: p95 of search<250ms, continue as failed", "this fails when p95 is below 250ms, which is good", `criteria say when a run fails: write "p95 of search>250ms, continue as failed" to fail above it, or what must hold: "assert: 'p95("search") < 250ms'"`},
		{"fail<1%", "this fails when fail is below 1%, which is good", `criteria say when a run fails: write "fail>1%" to fail above it, or what must hold: "assert: 'fail_ratio() < 1%'"`},
		{"failures<10", "this fails when fail is below 10, which is good", `criteria say when a run fails: write "fail>10" to fail above it, or what must hold: "assert: 'fail() < 10'"`},
		{"fail=0", "this fails when fail is at 0, which is good", `criteria say when a run fails: write "fail>0" to fail above it`},
		{"rc5??<1%", "this fails when rc5?? is below 1%, which is good", `criteria say when a run fails: write "rc5??>1%" to fail above it, or what must hold: "assert: 'rc_ratio("5??") < 1%'"`},
		{"dropped<=10", "this fails when dropped is below 10, which is good", `criteria say when a run fails: write "dropped>10" to fail above it, or what must hold: "assert: 'dropped() <= 10'"`},
		{"p95<110% baseline", "this fails when p95 is below 110% baseline, which is good", `criteria say when a run fails: write "p95>110% baseline" to fail above it`},
		{"succ>99%", "this fails when succ is above 99%, which is good", `criteria say when a run fails: write "succ<99%" to fail below it, or what must hold: "assert: 'succ_ratio() > 99%'"`},
		{"achieved>=95%", "this fails when achieved is above 95%, which is good", `criteria say when a run fails: write "achieved<95%" to fail below it, or what must hold: "assert: 'achieved() >= 95%'"`},
		{"rc2??>99%", "this fails when rc2?? is above 99%, which is good", `criteria say when a run fails: write "rc2??<99%" to fail below it, or what must hold: "assert: 'rc_ratio("2??") > 99%'"`},
		{"p95>500ms", "", ""},
		{"fail>0", "", ""},
		{"fail=5", "", ""},
		{"hits<100", "", ""},
		{"hits>100", "", ""},
		{"succ<99%", "", ""},
		{"rc200<99%", "", ""},
		{"rc201>0", "", ""},
		{"achieved<95%", "", ""},
		{"concurrency<5", "", ""},
		{"p95<500ms, continue as non-failed", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			_, diags := ParseCriterion(tt.sentence, diag.Pos{File: "f.yml", Line: 1, Column: 1})
			var got, hint string
			for _, d := range diags {
				if d.Code == "criterion-sense" {
					got, hint = d.Message, d.Hint
				}
			}
			if got != tt.want || hint != tt.hint {
				t.Errorf("warning %q\n   hint %q\n   want %q\n   hint %q", got, hint, tt.want, tt.hint)
			}
		})
	}
}

// The long form is warned of too, at its condition; a rule that only tells is not.
func TestDoubt_longForm(t *testing.T) {
	for text, want := range map[string]string{
		"{subject: p95, condition: '<', threshold: 500ms}":              "doc.yml:4:59",
		"{subject: p95, condition: '<', threshold: 500ms, fail: false}": "",
		"{criterion: p95<500ms, fail: false}":                           "",
		"{criterion: p95<500ms, stop: false}":                           "doc.yml:4:48",
	} {
		_, diags := decodeText(t, "execution: [{scenario: s, iterations: 1}]\nscenarios: {s: {requests: [http://localhost/]}}\nreporting:\n- {module: passfail, criteria: ["+text+"]}\n")
		got := ""
		for _, d := range diags {
			if d.Code == "criterion-sense" {
				got = d.Pos.String()
			}
		}
		if got != want {
			t.Errorf("%s: warned at %q, want %q (%v)", text, got, want, diags)
		}
	}
}
