package engine

import (
	"strings"
	"testing"
)

func TestForeignVariables(t *testing.T) {
	tests := []struct{ name, request, want string }{
		{"curly in a url", `{url: "/{{other}}"}`, `warning foreign-variable: "{{other}}" is sent as it stands | a variable is written ${other}`},
		{"dollar in a url", `{url: "/$id"}`, `warning foreign-variable: "$id" is sent as it stands | a variable is written ${id}`},
		{"curly in a body", `{url: /, method: POST, body: "x={{ id }}"}`, `"{{ id }}" is sent as it stands`},
		{"dollar in a header", `{url: /, headers: {X-Id: "$id"}}`, `"$id" is sent as it stands`},
		{"OData", `{url: "/x?$top=1"}`, ""},
		{"a search template", `{url: /, method: POST, body: "{{query}}"}`, ""},
		{"as it should be", `{url: "/${id}"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mistakes(t, "execution: [{scenario: s}]\nscenarios: {s: {default-address: http://fake, variables: {id: 1}, requests: ["+tt.request+"]}}\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
