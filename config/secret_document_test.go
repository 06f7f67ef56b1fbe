package config

import (
	"context"
	"strings"
	"testing"
)

// The value of a variable with a secret's name is a secret wherever it was put in and under whichever name, also a short one there.
func TestSecretVariablesUnderOtherNames(t *testing.T) {
	const text = `
execution: [{scenario: s, iterations: 1}]
scenarios:
  s:
    requests:
    - {url: "http://127.0.0.1:1/", method: POST, body: {k: "${PW}", l: "<${DSN}>", m: "${SHORT}!", n: "${NAMED_TOKEN}"}}
    - {url: "http://127.0.0.1:1/", method: POST, body: "in ${DIR} by ${SHELL_WAY}; s7 is left alone"}
settings: {env: {PW: "${MY_PASSWORD}", DSN: "db:${PW}@h", SHORT: "${S_TOKEN}", NAMED_TOKEN: t-8, DIR: "${PWD}", SHELL_WAY: $DB_SECRET}}
`
	system := map[string]string{"MY_PASSWORD": "dbpw777777", "S_TOKEN": "s7", "DB_SECRET": "long-777777", "PWD": "/home/anna"}
	file, found := Load(t.Context(), nil, Options{
		Documents: []Document{{Name: "test.yml", Text: []byte(text)}},
		Getenv:    func(name string) (string, bool) { v, ok := system[name]; return v, ok },
	})
	if found.HasErrors() {
		t.Fatal(found)
	}
	for name, document := range map[string]*Node{"merged": file.Merged, "effective": file.Document} {
		var out strings.Builder
		if err := Format(&out, document, FormatOptions{Mask: true}); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"777777", "s7!", "t-8"} {
			if strings.Contains(out.String(), secret) {
				t.Errorf("%s tells %s:\n%s", name, secret, out.String())
			}
		}
		for _, kept := range []string{"<db:********@h>", "in /home/anna by ********; s7 is left alone"} {
			if !strings.Contains(out.String(), kept) {
				t.Errorf("%s lacks %s:\n%s", name, kept, out.String())
			}
		}
		if got := SecretsOf(document).Mask("saw dbpw777777 and long-777777"); got != "saw ******** and ********" {
			t.Errorf("%s: a text tells %q", name, got)
		}
	}
}

// What settings.env gives to a secret key is a secret before and after it is put in, and the address of a webhook is one itself.
func TestMaskedDocuments(t *testing.T) {
	const text = `
execution: [{scenario: s, iterations: 1}]
scenarios:
  s:
    requests: ["http://127.0.0.1:1/"]
    headers: {Authorization: "Bearer ${KEY_FOR_API}", X-Hub-Signature: sig-7261}
reporting:
- {module: webhook, url: "https://hooks.example.com/services/T00/B00-7261"}
- {module: webhook, url: "${HOOK}"}
modules:
  webhook: {url: "https://hooks.example.com/?key=7261"}
settings:
  env: {KEY_FOR_API: abc-7261, HOOK: "https://hooks.example.com/x-7261", PLACE: production}
`
	file, found := Load(context.Background(), nil, Options{Documents: []Document{{Name: "test.yml", Text: []byte(text)}}})
	if found.HasErrors() {
		t.Fatal(found)
	}
	for name, document := range map[string]*Node{"merged": file.Merged, "effective": file.Document} {
		var out strings.Builder
		if err := Format(&out, MaskSecrets(document), FormatOptions{}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "7261") {
			t.Errorf("%s:\n%s", name, out.String())
		}
		for _, kept := range []string{"https://hooks.example.com/", "production"} {
			if !strings.Contains(out.String(), kept) {
				t.Errorf("%s lacks %s:\n%s", name, kept, out.String())
			}
		}
	}
}
