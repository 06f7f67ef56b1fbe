package nats

import (
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	print := strings.Repeat("0a", 32)
	for _, tt := range []struct {
		text string
		want Address
		bad  string // of Check
	}{
		{"nats://token@127.0.0.1:4222", Address{Host: "127.0.0.1:4222", Token: "token"}, ""},
		{"nats://token@[::1]:4222", Address{Host: "[::1]:4222", Token: "token"}, ""},
		{"tls://token@10.0.0.5:4222/" + print, Address{"10.0.0.5:4222", "token", print}, ""},
		{"tls://token@10.0.0.5:4222/sha256:" + strings.ToUpper(print), Address{"10.0.0.5:4222", "token", print}, ""},
		{"localhost:4222", Address{Host: "localhost:4222"}, "the token of the run is missing"},
		{"nats://token@10.0.0.5:4222", Address{Host: "10.0.0.5:4222", Token: "token"}, "the fingerprint of the controller's certificate is needed"},
		{"tls://token@10.0.0.5:4222/abc", Address{"10.0.0.5:4222", "token", "abc"}, "is no fingerprint"},
	} {
		got, err := ParseAddress(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("%s is %+v, %v, want %+v", tt.text, got, err, tt.want)
			continue
		}
		if again, err := ParseAddress(got.String()); err != nil || again != got {
			t.Errorf("%s is written as %s", tt.text, got)
		}
		if err := got.Check(); (err == nil) != (tt.bad == "") || err != nil && !strings.Contains(err.Error(), tt.bad) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.bad)
		}
	}
	for _, bad := range []string{"", "host", "http://host:1", "nats://host", "nats://tok en@h:1", "::"} {
		if a, err := ParseAddress(bad); err == nil {
			t.Errorf("%q was taken as %+v", bad, a)
		}
	}
}

func TestListenRefuses(t *testing.T) {
	for _, tt := range []struct{ address, token, want string }{
		{"nowhere", "", "write host and port, such as 127.0.0.1:4222"},
		{"127.0.0.1:99999", "", "is no port"},
		{"127.0.0.1:0", "short", "12 characters at least"},
		{"127.0.0.1:0", "a token with spaces", "no spaces"},
	} {
		if h, err := Listen(Options{Address: tt.address, Token: tt.token}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %q: %v, want %q", tt.address, tt.token, err, tt.want)
			if err == nil {
				_ = h.Close()
			}
		}
	}
	first, err := Listen(Options{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if h, err := Listen(Options{Address: first.Join().Host}); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("a taken address: %v", err)
		if err == nil {
			_ = h.Close()
		}
	}
}
