package main

import (
	"strings"
	"testing"

	"github.com/stacrun/stacrun/config"
)

// TestSecretAtTheCut has a body cut where a secret stands: its beginning is hidden as well.
func TestSecretAtTheCut(t *testing.T) {
	file, _ := config.Load(t.Context(), nil, config.Options{Documents: []config.Document{{Name: "a.yml", Text: []byte("settings: {env: {PASSWORD: sesame-street}}")}}})
	for limit := range 40 {
		p := &tracePrinter{limit: limit, secrets: debugSecrets{config.SecretsOf(file.Document)}}
		var b strings.Builder
		p.body(&b, "< ", []byte("it said: sesame-street, and that was all"))
		if strings.Contains(b.String(), "se") {
			t.Errorf("cut after %d bytes it shows %q", limit, b.String())
		}
		if more := strings.Contains(b.String(), " bytes more "); more != (limit > 0 && limit < len("it said: "+config.Mask+", and that was all")) {
			t.Errorf("cut after %d bytes it shows %q", limit, b.String())
		}
	}
}
