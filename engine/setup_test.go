package engine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A user signs in with the columns of the row that its first iteration has, too; later iterations have rows of their own.
func TestSetupHasTheFirstRow(t *testing.T) {
	tests := []struct {
		name, load, loop string
		want             string
	}{
		{"closed", "concurrency: 1, iterations: 3", "true", "/login/ada /a/ada /a/bob /a/ada /bye/ada"},
		{"shared", "concurrency: 1, total-iterations: 2", "true", "/login/ada /a/ada /a/bob /bye/bob"},
		{"until the rows end", "concurrency: 1, iterations: 9", "false", "/login/ada /a/ada /a/bob /bye/bob"},
		{"open", "arrival-rate: 1, total-iterations: 2, max-concurrency: 1", "true", "/login/ada /a/ada /a/bob /bye/bob"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := dryRun(t, `
execution: [{scenario: s, `+tt.load+`}]
scenarios:
  s:
    default-address: http://fake
    data-sources: [{rows: [{user: ada}, {user: bob}], loop: `+tt.loop+`}]
    setup: ["/login/${user}"]
    requests: ["/a/${user}"]
    teardown: ["/bye/${user}"]
`, nil, nil)
			if diff := cmp.Diff(tt.want, d.targets()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A user for whom there is no row neither signs in nor out.
func TestSetupWithoutARow(t *testing.T) {
	d := dryRun(t, `
execution: [{scenario: s, concurrency: 2, iterations: 1}]
scenarios:
  s:
    default-address: http://fake
    data-sources: [{rows: [{user: ada}], loop: false}]
    setup: ["/login/${user}"]
    requests: ["/a"]
    teardown: ["/bye"]
`, nil, nil)
	if diff := cmp.Diff("/login/ada /a /bye", d.targets()); diff != "" {
		t.Error(diff)
	}
}

// What is done before there are users has no row, and that is said before the run.
func TestColumnsHaveNoValueBeforeUsers(t *testing.T) {
	const scenario = "scenarios: {s: {default-address: http://fake, data-sources: [{rows: [{user: ada}]}], requests: ['/${user}'], "
	for name, text := range map[string]string{
		"prepare":   "execution: [{scenario: s, prepare: ['http://fake/login/${user}']}]\n" + scenario + "}}\n",
		"variables": "execution: [{scenario: s}]\n" + scenario + "variables: {greeting: 'hello ${user}'}}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			want := `variable "user" has no value here: a row is drawn for each iteration of a user`
			if got := mistakes(t, text); !strings.Contains(got, want) {
				t.Errorf("found %q, want %q", got, want)
			}
		})
	}
	// A column that something else sets as well may have a value there.
	fine := "execution: [{scenario: s, prepare: [{set-variables: {user: me}}, 'http://fake/login/${user}']}]\n" + scenario + "}}\n"
	if got := mistakes(t, fine); got != "" {
		t.Errorf("found %q", got)
	}
}
