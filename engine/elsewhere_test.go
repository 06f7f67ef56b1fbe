package engine

import (
	"fmt"
	"net/http"
	"testing"
)

// stranger asks for a password, and sends back to home whoever comes by /home.
func stranger(t *testing.T) *seen {
	return newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/home":
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
		case r.URL.Path == "/again":
			http.Redirect(w, r, "/secret", http.StatusFound)
		case r.Header.Get("Authorization") == "":
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
}

// What another origin than the file's asks for is not told, neither on redirects nor for resources of a page.
func TestCredentialsStayAtTheirOrigin(t *testing.T) {
	other := stranger(t)
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL+"/secret", http.StatusFound)
		case "/round":
			http.Redirect(w, r, other.URL+"/home?to=http://"+r.Host+"/back", http.StatusFound)
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<img src="/own.png"><img src="%s/secret"><img src="%s/again">`, other.URL, other.URL)
		}
	})
	const resources = "    retrieve-resources: true\n    concurrent-pool-size: 1\n"
	tests := []struct {
		name, text string
		own, other []string
	}{
		{
			"an answer to a challenge", "    authorization: {name: u, password: p}\n    requests: [/away]\n",
			[]string{"GET /away"}, []string{"GET /secret"},
		},
		{
			"a token", "    authorization: {mechanism: bearer, token: abc}\n    requests: [/away]\n",
			[]string{"GET /away Authorization=Bearer abc"}, []string{"GET /secret"},
		},
		{
			"a rule that names the other", fmt.Sprintf("    authorization: {mechanism: basic, name: u, password: p, url: %q}\n    requests: [/away]\n", other.URL+"/"),
			[]string{"GET /away"}, []string{"GET /secret Authorization=Basic dTpw"},
		},
		{
			"there and back", "    headers: {Authorization: mine, Cookie: c=1}\n    requests: [/round]\n",
			[]string{"GET /round Authorization=mine Cookie=c=1", "GET /back Authorization=mine Cookie=c=1"}, []string{"GET /home?to=" + s.URL + "/back"},
		},
		{
			"headers for resources", resources + "    headers: {Authorization: mine, Cookie: c=1, X-Own: x}\n    requests: [/page]\n",
			[]string{"GET /page Authorization=mine Cookie=c=1 X-Own=x", "GET /own.png Authorization=mine Cookie=c=1 X-Own=x"},
			[]string{"GET /secret X-Own=x", "GET /again X-Own=x", "GET /secret X-Own=x"},
		},
		{
			"a token for resources", resources + "    authorization: {mechanism: bearer, token: abc}\n    requests: [/page]\n",
			[]string{"GET /page Authorization=Bearer abc", "GET /own.png Authorization=Bearer abc"},
			[]string{"GET /secret", "GET /again", "GET /secret"},
		},
		{
			"an answer to a challenge for resources", resources + "    authorization: {name: u, password: p}\n    requests: [/page]\n",
			[]string{"GET /page", "GET /own.png"}, []string{"GET /secret", "GET /again", "GET /secret"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.forget()
			other.forget()
			script(t, s, tt.text)
			wantSeen(t, s, tt.own...)
			wantSeen(t, other, tt.other...)
		})
	}
}
