package config

import "testing"

func TestMaskHead(t *testing.T) {
	tests := []struct{ name, head, want string }{
		{"secrets keep their line ends", "GET / HTTP/1.1\r\nAuthorization: Bearer abc:def\r\nSet-Cookie:a=b\nAccept: */*\r\n\r\n",
			"GET / HTTP/1.1\r\nAuthorization: ********\r\nSet-Cookie: ********\nAccept: */*\r\n\r\n"},
		{"cut off", "X-API-Key: abc", "X-API-Key: ********"},
		{"a request line with a colon", "GET http://h/token HTTP/1.1\r\n", "GET http://h/token HTTP/1.1\r\n"},
		{"empty", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(MaskHead([]byte(test.head))); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestIsSecretKey(t *testing.T) {
	for key, want := range map[string]bool{
		"http.proxyPass": true, "http.proxyPassword": true, "API_KEY": true, "Set-Cookie": true, "client-secret": true,
		"http.proxyUser": false, "store-cookie": false, "keyword": false, "token-url": false,
	} {
		if got := IsSecretKey(key); got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}

func TestSecretsOfADocumentAreHiddenInTexts(t *testing.T) {
	document := &Node{Kind: Mapping}
	add := func(outer, key, value string) {
		n := document.Get(outer)
		if n == nil {
			n = &Node{Kind: Mapping}
			document.Set(outer, document.Pos, n)
		}
		n.Set(key, document.Pos, &Node{Kind: Scalar, Text: value})
	}
	add("variables", "password", "hunter")
	add("variables", "short-token", "q1")
	add("variables", "name", "anna")
	add("headers", "Authorization", "Bearer abc.def")
	add("headers", "X-Other", "${token}")
	add("urls", "a", "http://h/a?token=t7&x=1")
	add("extract-jsonpath", "token", "$.access_token")
	s := SecretsOf(document)
	tests := []struct{ name, text, want string }{
		{"anywhere", "X-Tok: hunter\r\nX: hunters", "X-Tok: ********\r\nX: ********s"},
		{"the token of Bearer", "saw abc.def", "saw ********"},
		{"a query by its names", "GET /a?api_key=q2&token=t7&x=hunter&name=anna HTTP/1.1", "GET /a?api_key=********&token=********&x=********&name=anna HTTP/1.1"},
		{"a paging token stays", "GET /search?token=next:c:1 HTTP/1.1", "GET /search?token=next:c:1 HTTP/1.1"},
		{"a form", "password=p3&user=u", "password=********&user=u"},
		{"JSON", `{"password":"p","access_token": "a\"b","pin_secret":12,"token":"t7","user":"u"}`,
			`{"password":"********","access_token": "********","pin_secret":"********","token":"********","user":"u"}`},
		{"a paging token in JSON stays", `{"token":"next:c:1"}`, `{"token":"next:c:1"}`},
		{"too short to be looked for everywhere", "q1 q1", "q1 q1"},
		{"a password of a URL", "http://u:pw@h/", "http://u:********@h/"},
		{"queries of extractors are none", "$.access_token", "$.access_token"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := s.Mask(test.text); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
	if got := new(Secrets).Mask("a?password=x"); got != "a?password=********" {
		t.Errorf("no document: %q", got)
	}
}
