package jsonbody

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		body string
		code int
		want string // error
	}{
		{`{"name": "x", "users": 5, "rate": 0.5, "list": ["a"]}`, 200, ""},
		{" {} \n", 200, ""},
		{``, 400, "it is empty"},
		{`{"users": 5`, 400, "it ends too early"},
		{`{"users": "5"}`, 400, "users is a whole number, not a text"},
		{`{"users": 1.5}`, 400, "users is a whole number, not 1.5"},
		{`{"rate": true}`, 400, "rate is a number, not true or false"},
		{`{"name": 7}`, 400, "name is a text, not a number"},
		{`{"list": {}}`, 400, "list is a list, not an object"},
		{`[5]`, 400, "it is a JSON object, not a list"},
		{`5`, 400, "it is a JSON object, not a number"},
		{`{"user": 5}`, 400, `unknown field "user"`},
		{`{"users": 5}{"users": 6}`, 400, "something follows the JSON object"},
		{`{"users": 5} x`, 400, "something follows the JSON object"},
		{`x`, 400, "invalid character 'x' looking for beginning of value"},
		{`{"name": "` + strings.Repeat("x", 200) + `"}`, 413, "it is too long"},
	} {
		var into struct {
			Name  string   `json:"name"`
			Users *int     `json:"users"`
			Rate  *float64 `json:"rate"`
			List  []string `json:"list"`
		}
		code, err := Read(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(tt.body)), 100, &into)
		if got := ""; code != tt.code || err == nil != (tt.want == "") || err != nil && err.Error() != tt.want {
			if err != nil {
				got = err.Error()
			}
			t.Errorf("%.40s: %d %q, want %d %q", tt.body, code, got, tt.code, tt.want)
		}
	}
}
