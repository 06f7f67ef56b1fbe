package config

import (
	"context"
	"strings"
	"testing"
)

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
