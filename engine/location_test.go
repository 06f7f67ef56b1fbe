package engine

import "testing"

func TestParseLocation(t *testing.T) {
	tests := []struct{ in, origin, target, err string }{
		{"http://Host", "http://host", "/", ""},
		{"https://h:443/a?b=c#d", "https://h", "/a?b=c", ""},
		{"http://[::1]:8080?x", "http://[::1]:8080", "/?x", ""},
		{"http://h/a b/%20/ü", "http://h", "/a%20b/%20/%C3%BC", ""},
		{"http://h/a\r\nEvil: 1", "http://h", "/a%0D%0AEvil:%201", ""},
		{"http://Bücher.Example:8080/ü", "http://xn--bcher-kva.example:8080", "/%C3%BC", ""},
		{"http://straße_1.例え。テスト", "http://xn--strae_1-3va.xn--r8jz45g.xn--zckzah", "/", ""},
		{"http://ü\u00a0x/", "", "", `host "ü\u00a0x" holds a character that no host name has`},
		{"http://a\u200ex/", "", "", `host "a\u200ex" has no form for the DNS: idna: disallowed rune U+200E`},
		{"ftp://h/", "", "", `scheme "ftp" is neither http nor https`},
		{"http:///x", "", "", "the host is missing"},
		{"http://h:99999/", "", "", `port "99999" is not a number from 1 to 65535`},
		{"http://u:p@h/", "", "", "user and password in a URL are not sent"},
		{"/only/path", "", "", `"/only/path" is not an absolute URL`},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			l, err := parseLocation(tt.in)
			if err != nil {
				if err.Error() != tt.err {
					t.Fatalf("error %q, want %q", err, tt.err)
				}
				return
			}
			if tt.err != "" || l.origin() != tt.origin || l.target != tt.target {
				t.Errorf("got %s %s, want %s %s, error %q", l.origin(), l.target, tt.origin, tt.target, tt.err)
			}
		})
	}
}

// The normal and abnormal examples of RFC 3986 section 5.4 that are http.
func TestResolve(t *testing.T) {
	base, err := parseLocation("http://a/b/c/d;p?q")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ in, want string }{
		{"g", "http://a/b/c/g"}, {"./g", "http://a/b/c/g"}, {"g/", "http://a/b/c/g/"}, {"/g", "http://a/g"},
		{"//g", "http://g/"}, {"?y", "http://a/b/c/d;p?y"}, {"g?y", "http://a/b/c/g?y"}, {"#s", "http://a/b/c/d;p?q"},
		{"g#s", "http://a/b/c/g"}, {";x", "http://a/b/c/;x"}, {"", "http://a/b/c/d;p?q"}, {".", "http://a/b/c/"},
		{"./", "http://a/b/c/"}, {"..", "http://a/b/"}, {"../g", "http://a/b/g"}, {"../..", "http://a/"}, {"../../g", "http://a/g"},
		{"../../../g", "http://a/g"}, {"/./g", "http://a/g"}, {"/../g", "http://a/g"}, {"g.", "http://a/b/c/g."}, {"g..", "http://a/b/c/g.."},
		{"./../g", "http://a/b/g"}, {"g/./h", "http://a/b/c/g/h"}, {"g/../h", "http://a/b/c/h"},
		{"g?y/../x", "http://a/b/c/g?y/../x"}, {"https://x:8443/%7Ea", "https://x:8443/%7Ea"},
	}
	for _, tt := range tests {
		got, err := base.resolve(tt.in)
		if err != nil || got.String() != tt.want {
			t.Errorf("%q: got %s, %v, want %s", tt.in, got.String(), err, tt.want)
		}
	}
	for _, other := range []string{"mailto:a@b", "javascript:void(0)", "data:,x", "ftp://a/", "about:blank", "JavaScript:x"} {
		if got, err := base.resolve(other); err == nil {
			t.Errorf("%q became %s", other, got.String())
		}
	}
}
