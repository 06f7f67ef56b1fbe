package wire

import (
	"testing"
)

// nginxAnswer is what nginx sends for a small file.
var nginxAnswer = []byte("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Tue, 01 Dec 2026 06:26:10 GMT\r\nContent-Type: application/geo+json\r\n" +
	"Content-Length: 12\r\nLast-Modified: Tue, 01 Dec 2026 06:00:00 GMT\r\nConnection: keep-alive\r\nETag: \"692d3b90-400\"\r\nAccept-Ranges: bytes\r\n\r\nhello, world")

// BenchmarkHead_nginx parses a head such as nginx sends, the part of an exchange that is ours.
func BenchmarkHead_nginx(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(nginxAnswer)))
	req := &Request{Method: "GET"}
	var a answer
	for b.Loop() {
		a.reset(req)
		a.n = len(nginxAnswer)
		if !a.advance(nginxAnswer) || a.part != complete {
			b.Fatal(a.detail)
		}
	}
}

// BenchmarkHead_uvicorn parses what a Python API sends, chunked.
func BenchmarkHead_uvicorn(b *testing.B) {
	input := []byte("HTTP/1.1 200 OK\r\ndate: Tue, 01 Dec 2026 06:26:10 GMT\r\nserver: uvicorn\r\ncontent-type: application/geo+json\r\ntransfer-encoding: chunked\r\n\r\nc\r\nhello, world\r\n0\r\n\r\n")
	b.ReportAllocs()
	req := &Request{Method: "GET", KeepBody: true}
	work := make([]byte, len(input))
	var a answer
	for b.Loop() {
		copy(work, input)
		a.reset(req)
		a.n = len(work)
		if !a.advance(work) || a.part != complete {
			b.Fatal(a.detail)
		}
	}
}

// BenchmarkDo_keepAlive is a whole exchange on loopback, the server's share included.
func BenchmarkDo_keepAlive(b *testing.B) {
	addr := serveFixed(b, []byte(okHead+"0123456789"))
	c := Conn{Target: targetOf(b, addr, TargetOptions{})}
	defer c.Close()
	req := get("/")
	req.KeepBody, req.KeepHead = false, false
	var resp Response
	b.ReportAllocs()
	for b.Loop() {
		c.Do(req, &resp)
		if resp.Fault != NoFault {
			b.Fatal(resp.Detail)
		}
	}
}

// BenchmarkDo_newConnection pays for a connection each time.
func BenchmarkDo_newConnection(b *testing.B) {
	addr := serveFixed(b, []byte(okHead+"0123456789"))
	c := Conn{Target: targetOf(b, addr, TargetOptions{})}
	req := get("/")
	var resp Response
	b.ReportAllocs()
	for b.Loop() {
		c.Do(req, &resp)
		if resp.Fault != NoFault {
			b.Fatal(resp.Detail)
		}
		c.Close()
	}
}
