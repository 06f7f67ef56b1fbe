package nats

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	client "github.com/nats-io/nats.go"

	"github.com/stacrun/stacrun/cluster"
)

// patience is long enough for a busy machine.
const patience = time.Minute

func listen(t *testing.T, o Options) *Hub {
	t.Helper()
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	h, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func join(t *testing.T, a Address) cluster.Link {
	t.Helper()
	l, err := Connect(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// next gives the next message of an agent.
func next(t *testing.T, h *Hub) cluster.Packet {
	t.Helper()
	select {
	case p := <-h.Receive():
		return p
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	return cluster.Packet{}
}

// TestAgentsSpeakForThemselves has an agent that knows the token speak in the name of another, give orders, and listen to others.
func TestAgentsSpeakForThemselves(t *testing.T) {
	h := listen(t, Options{})
	id, other := secret(idBytes), secret(idBytes)
	conn, err := client.Connect("nats://"+h.Join().Host, client.Token(h.Join().Token), client.Name(id), client.ErrorHandler(unheard))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	heard := make(chan *client.Msg, 100)
	for _, subject := range []string{toHub + "*", toAgent + other, toAgent + "*", "stacrun.>", ">", toAll} {
		if _, err := conn.ChanSubscribe(subject, heard); err != nil {
			t.Fatal(err)
		}
	}
	for _, subject := range []string{toHub + other, toHub + "controller", toAll, toAgent + other, toHub + id} {
		if err := conn.Publish(subject, []byte("to "+subject)); err != nil {
			t.Fatal(err)
		}
	}
	if p := next(t, h); p.From != id || string(p.Message) != "to "+toHub+id {
		t.Errorf("the hub heard %q from %s", p.Message, p.From)
	}
	if err := join(t, h.Join()).Send([]byte("from a good one")); err != nil {
		t.Fatal(err)
	}
	if p := next(t, h); string(p.Message) != "from a good one" {
		t.Errorf("the hub heard %q from %s", p.Message, p.From)
	}
	for _, to := range []string{other, ""} {
		if err := h.Send(to, []byte("hub")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(h.conn.Flush(), conn.Flush()); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got.Subject != toAll || len(heard) != 0 {
		t.Errorf("it heard %q on %s, and %d more", got.Data, got.Subject, len(heard))
	}
}

// TestStrangers talk to the port without the token, or without sense: agents are served as before.
func TestStrangers(t *testing.T) {
	h := listen(t, Options{})
	for _, noise := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", strings.Repeat("x", 1<<20), "CONNECT {\r\n", "CONNECT {\"auth_token\":\"no\"}\r\nPING\r\n",
		"PUB stacrun.all 5\r\nhello\r\n", "PUB stacrun.all 99999999999999999999\r\n", "SUB > 1\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	} {
		c, err := net.Dial("tcp", h.Join().Host)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetDeadline(time.Now().Add(patience))
		_, _ = io.WriteString(c, noise)   // it may have been thrown out before the end
		_ = c.(*net.TCPConn).CloseWrite() // likewise
		_, _ = io.Copy(io.Discard, c)     // until it is thrown out
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "controller", "*", ">", "0123456789abcdeg"} {
		if c, err := client.Connect("nats://"+h.Join().Host, client.Token(h.Join().Token), client.Name(name)); err == nil {
			t.Errorf("an agent by the name of %q was let in", name)
			c.Close()
		}
	}
	if err := join(t, h.Join()).Send([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if p := next(t, h); string(p.Message) != "hello" {
		t.Errorf("the hub heard %q from %s", p.Message, p.From)
	}
}

// TestCertificateIsKept starts two controllers with the same file.
func TestCertificateIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "controller.pem")
	first := listen(t, Options{Certificate: file}).Join()
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	h := listen(t, Options{Certificate: file})
	if got := h.Join().Fingerprint; got == "" || got != first.Fingerprint {
		t.Errorf("the fingerprint was %s and is %s", first.Fingerprint, got)
	}
	if err := join(t, h.Join()).Send([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if p := next(t, h); string(p.Message) != "hello" {
		t.Errorf("the hub heard %q", p.Message)
	}
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		file: "certificate and key in " + file, filepath.Dir(file): "it is a folder", filepath.Join(file, "x"): "read the certificate",
		filepath.Join(t.TempDir(), "none", "x"): "write the certificate",
	} {
		if h, err := Listen(Options{Address: "127.0.0.1:0", Certificate: name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s holds none: %v, want %q", name, err, want)
			if err == nil {
				_ = h.Close()
			}
		}
	}
}
