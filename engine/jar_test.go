package engine

import (
	"testing"
	"time"
)

func TestJar(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	type request struct {
		host, path string
		secure     bool
		want       string
	}
	tests := []struct {
		name     string
		lines    []string // set by http(s)://example.com/a/b
		secure   bool
		requests []request
	}{
		{"host only", []string{"x=1"}, false, []request{{"example.com", "/a/c", false, "x=1"}, {"www.example.com", "/a/c", false, ""}, {"example.com", "/", false, ""}}},
		{"domain", []string{"x=1; Domain=.Example.com; Path=/"}, false, []request{{"www.example.com", "/", false, "x=1"}, {"badexample.com", "/", false, ""}}},
		{"foreign domain is refused", []string{"x=1; Domain=other.com; Path=/"}, false, []request{{"example.com", "/", false, ""}, {"other.com", "/", false, ""}}},
		{"top level domain is refused", []string{"x=1; Domain=com; Path=/"}, false, []request{{"example.com", "/", false, ""}}},
		{"path is matched by segments", []string{"x=1; Path=/foo"}, false, []request{{"example.com", "/foo/bar", false, "x=1"}, {"example.com", "/foobar", false, ""}, {"example.com", "/foo", false, "x=1"}}},
		{"longer paths first", []string{"a=1; Path=/", "b=2; Path=/foo"}, false, []request{{"example.com", "/foo", false, "b=2; a=1"}}},
		{"replaced in place", []string{"a=1; Path=/", "b=2; Path=/", "a=3; Path=/"}, false, []request{{"example.com", "/", false, "a=3; b=2"}}},
		{"max-age zero deletes", []string{"a=1; Path=/", "a=; Path=/; Max-Age=0"}, false, []request{{"example.com", "/", false, ""}}},
		{"max-age wins over expires", []string{"a=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"}, false, []request{{"example.com", "/", false, "a=1"}}},
		{"expired", []string{"a=1; Path=/; Expires=Thu, 01-Jan-1970 00:00:00 GMT"}, false, []request{{"example.com", "/", false, ""}}},
		{"secure stays on TLS", []string{"a=1; Path=/; Secure"}, true, []request{{"example.com", "/", false, ""}, {"example.com", "/", true, "a=1"}}},
		{"secure from a plain answer is refused", []string{"a=1; Path=/; Secure"}, false, []request{{"example.com", "/", true, ""}}},
		{"__Secure- without Secure is refused", []string{"__Secure-a=1; Path=/", "__SECURE-b=1; Path=/"}, true, []request{{"example.com", "/", true, ""}}},
		{"__Secure- with it", []string{"__Secure-a=1; Path=/; Domain=example.com; Secure"}, true, []request{{"example.com", "/", true, "__Secure-a=1"}, {"example.com", "/", false, ""}}},
		{"__Secure- from a plain answer is refused", []string{"__Secure-a=1; Path=/", "__Secure-b=1; Path=/; Secure"}, false, []request{{"example.com", "/", true, ""}}},
		{"__Host- for this host and all of it", []string{"__Host-a=1; Path=/; Secure"}, true, []request{{"example.com", "/a/b", true, "__Host-a=1"}, {"www.example.com", "/", true, ""}}},
		{"__Host- for less or more is refused", []string{
			"__Host-a=1; Path=/", "__host-b=1; Secure", "__Host-c=1; Path=/a; Secure", "__Host-d=1; Path=/; Secure; Domain=example.com",
		}, true, []request{{"example.com", "/a/b", true, ""}}},
		{"__Host- from a plain answer is refused", []string{"__Host-a=1; Path=/", "__Host-b=1; Path=/; Secure"}, false, []request{{"example.com", "/", false, ""}, {"example.com", "/", true, ""}}},
		{"equals signs and quotes are kept", []string{`a="b=c"; Path=/`}, false, []request{{"example.com", "/", false, `a="b=c"`}}},
		{"no name", []string{"=x; Path=/", "novalue; Path=/"}, false, []request{{"example.com", "/", false, ""}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var j jar
			for _, line := range tt.lines {
				j.set([]byte(line), "example.com", "/a/b", tt.secure, now)
			}
			for _, r := range tt.requests {
				if got := string(j.add(nil, r.host, r.path, r.secure, now)); got != r.want {
					t.Errorf("%s%s secure=%v: got %q, want %q", r.host, r.path, r.secure, got, r.want)
				}
			}
		})
	}
}

// What came by TLS is not replaced by a plain answer, which anybody on the way could have written.
func TestJarKeepsSecureCookiesFromPlainAnswers(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	var j jar
	j.set([]byte("id=tls; Path=/a; Secure"), "www.example.com", "/", true, now)
	for _, line := range []string{"id=plain; Path=/a", "id=plain; Path=/a/b", "id=plain; Path=/a; Domain=example.com"} {
		j.set([]byte(line), "www.example.com", "/", false, now)
	}
	if got := string(j.add(nil, "www.example.com", "/a/b", true, now)); got != "id=tls" {
		t.Errorf("sent %q", got)
	}
	j.set([]byte("id=other; Path=/"), "www.example.com", "/", false, now) // of another path
	j.set([]byte("id=next; Path=/a; Secure"), "www.example.com", "/", true, now)
	if got := string(j.add(nil, "www.example.com", "/a/b", true, now)); got != "id=next; id=other" {
		t.Errorf("sent %q", got)
	}
}

func TestJarIsBounded(t *testing.T) {
	var j jar
	for i := range 1000 {
		j.set([]byte("c"+string(rune('a'+i%26))+string(rune('a'+i/26))+"=1; Path=/"), "h", "/", false, time.Now())
	}
	if len(j.cookies) != jarCookies {
		t.Fatalf("%d cookies, want %d", len(j.cookies), jarCookies)
	}
}
