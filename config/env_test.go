package config

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func substituted(t *testing.T, text string, system map[string]string) (*loader, *Node) {
	t.Helper()
	l := newLoader(context.Background(), Options{
		Now:    time.Date(2026, 12, 1, 6, 7, 8, 9_000, time.UTC),
		Getenv: func(name string) (string, bool) { v, ok := system[name]; return v, ok },
	})
	mergeInto(l.doc, parseOne(t, "f.yml", text), &l.diags)
	l.substitute()
	l.diags.Sort()
	return l, l.doc
}

func TestSubstitute(t *testing.T) {
	system := map[string]string{"HOME": "/home/me", "TOKEN": "0123", "HOST": "example.org"}
	tests := []struct {
		name, env, in, want string
		says                []string
	}{
		{name: "a name of settings.env", env: "{A: x}", in: `"a ${A} b ${A}"`, want: `"a x b x"`},
		{name: "several", env: "{A: x, B: y}", in: `"${A}${B}"`, want: `"xy"`},
		{name: "an unknown name is a variable of the run", env: "{A: x}", in: `"${B}"`, want: `"${B}"`},
		{name: "variables of the system are not known by themselves", env: "{A: x}", in: `"${HOME}"`, want: `"${HOME}"`},
		{name: "but may be imported", env: "{TOKEN: '${TOKEN}', H: $HOST/x, U: 'http://${HOST}'}", in: `"${TOKEN} ${H} ${U}"`, want: `"0123 example.org/x http://example.org"`},
		{name: "an imported number is text", env: "{TOKEN: '${TOKEN}'}", in: `"${TOKEN}"`, want: `"0123"`},
		{name: "only the exact form", env: "{A: x}", in: `"$A ${ A } ${__P(A)} ${__P(${A})} ${A"`, want: `"$A ${ A } ${__P(A)} ${__P(x)} ${A"`},
		{name: "a literal stays", env: "{A: x}", in: `"$${A} $$${A} ${A}"`, want: `"$${A} $$${A} x"`},
		{name: "one single name keeps its type", env: "{A: 10, B: true}", in: `[ "${A}", "${B}" ]`, want: `[10, true]`},
		{name: "in a longer text booleans read as in Taurus", env: "{B: yes, N: 1.50}", in: `"${B}/${N}"`, want: `"True/1.50"`},
		{name: "null is the empty text", env: "{A: null}", in: `["${A}", "x${A}y"]`, want: `["", "xy"]`},
		{name: "values that refer to one another, in any order and depth", env: "{A: '${B}1', B: '${C}2', C: '${D}3', D: d}", in: `"${A}"`, want: `"d321"`},
		{name: "a cycle", env: "{A: '${B}', B: 'x${A}'}", in: `"${A}"`, want: `"x"`, says: []string{`1:32 env-cycle: variable "A" is needed for its own value`}},
		{name: "artifacts folder", env: "{}", in: `"${TAURUS_ARTIFACTS_DIR}/x"`, want: `"2026-12-01_06-07-08.000009/x"`},
		{name: "an import that is missing and used", env: "{NOPE: '${NOPE}'}", in: `"${NOPE}"`, want: `"${NOPE}"`, says: []string{`1:24 env-unset: environment variable "NOPE" is not set`}},
		{name: "an import that is missing and not used", env: "{NOPE: $NOPE}", in: `x`, want: `"x"`, says: []string{`1:24 env-unset: environment variable "NOPE" is not set`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, doc := substituted(t, "settings: {env: "+test.env+"}\nx: "+test.in+"\n\"${A}\": key\n", system)
			if got := show(doc.Get("x")); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if doc.Get("${A}") == nil {
				if doc.Get("{A}") == nil { // the merge directive took the dollar
					t.Error("a key was touched")
				}
			}
			l.diags = deleteCode(l.diags, "directive-key")
			if diff := cmp.Diff(test.says, lines(l.diags)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSubstituteCompletesTheSettings(t *testing.T) {
	_, doc := substituted(t, "settings: {artifacts-dir: 'out/${A}/%Y', env: {A: '${B}-${HOST}', B: b}}\nx: ${TAURUS_ARTIFACTS_DIR}", map[string]string{"HOST": "h"})
	want := `{settings: {artifacts-dir: "out/b-h/%Y", env: {A: "b-h", B: "b"}}, x: "out/b-h/2026"}`
	if got := show(doc); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestArtifactsDir(t *testing.T) {
	now := time.Date(2026, 3, 5, 16, 7, 8, 123_456_789, time.UTC)
	for template, want := range map[string]string{
		"":                     "2026-03-05_16-07-08.123456",
		"out/%y%m%d-%H%M%S":    "out/260305-160708",
		"%j %U %W %V %G %u %w": "064 09 09 10 2026 4 4",
		"%a %A %b %B %p %I":    "Thu Thursday Mar March PM 04",
		"%s %z %Z":             "1772726828 +0000 UTC",
		"100%% %q %":           "100% %q %",
		"2006-Jan":             "2006-Jan",
	} {
		if got := ArtifactsDir(template, now); got != want {
			t.Errorf("%q: got %q, want %q", template, got, want)
		}
	}
}
