package origin

import (
	"net/http"
	"testing"
)

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.8.9.1": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "192.0.2.1": false, "evil.example": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"2130706433": false, "0x7f.1": false,
	} {
		if got := Loopback(host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}

func TestNamed(t *testing.T) {
	for host, want := range map[string]string{
		"127.0.0.1:8089": "127.0.0.1", "localhost": "localhost", "[::1]:8089": "::1", "[::1]": "::1", "evil.example:8089": "evil.example", "": "",
	} {
		if got := Named(&http.Request{Host: host}); got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}

func TestForeign(t *testing.T) {
	tests := []struct {
		name, method, origin, site string
		want                       string
		foreign                    bool
	}{
		{name: "a program", method: "POST"},
		{name: "the page itself", method: "POST", origin: "http://127.0.0.1:8089", site: "same-origin"},
		{name: "the page behind a proxy with TLS", method: "POST", origin: "https://127.0.0.1:8089"},
		{name: "typed into the address bar", method: "GET", site: "none"},
		{name: "a link on another page", method: "GET", site: "cross-site"},
		{name: "another origin", method: "POST", origin: "https://evil.example", want: "https://evil.example", foreign: true},
		{name: "another origin reads", method: "GET", origin: "https://evil.example", want: "https://evil.example", foreign: true},
		{name: "another port of this machine", method: "POST", origin: "http://127.0.0.1:9000", want: "http://127.0.0.1:9000", foreign: true},
		{name: "a file, or a sandbox", method: "POST", origin: "null", want: "null", foreign: true},
		{name: "another scheme", method: "POST", origin: "ftp://127.0.0.1:8089", want: "ftp://127.0.0.1:8089", foreign: true},
		{name: "no URL", method: "POST", origin: "http://%zz", want: "http://%zz", foreign: true},
		{name: "a form without an origin", method: "POST", site: "cross-site", want: "other sites", foreign: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &http.Request{Method: tt.method, Host: "127.0.0.1:8089", Header: http.Header{}}
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			if tt.site != "" {
				r.Header.Set("Sec-Fetch-Site", tt.site)
			}
			if who, foreign := Foreign(r); who != tt.want || foreign != tt.foreign {
				t.Errorf("%q, %v", who, foreign)
			}
		})
	}
}
