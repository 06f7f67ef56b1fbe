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
