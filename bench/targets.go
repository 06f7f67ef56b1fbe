package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// target is a server under load.
type target struct {
	name          string
	plain, secure string // addresses
	process       *background
	countPath     string
	countPattern  *regexp.Regexp
	countsItself  bool // the question for the count is a request that it counts
}

// count asks the server how many requests it has answered.
func (t *target) count() (int64, error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + t.plain + t.countPath)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	m := t.countPattern.FindSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%s gives no count: %q", t.name, text)
	}
	return strconv.ParseInt(string(m[1]), 10, 64)
}

// url gives where a workload goes.
func (t *target) url(w workload) string {
	if w.TLS {
		return "https://" + t.secure + w.Path
	}
	return "http://" + t.plain + w.Path
}

// startGo starts our own server.
func startGo(dir string, delay time.Duration) (*target, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	certificate, err := writeCertificate(dir)
	if err != nil {
		return nil, err
	}
	p, line, err := start([]string{self, "serve", "-delay", delay.String(), "-cert", certificate}, true)
	if err != nil {
		return nil, err
	}
	plain, secure, ok := strings.Cut(line, " ")
	if !ok {
		p.stop()
		return nil, fmt.Errorf("server says %q", line)
	}
	return &target{name: "go", plain: plain, secure: secure, process: p, countPath: "/count", countPattern: regexp.MustCompile(`(\d+)`)}, nil
}

// nginxConfig needs: user line, directory, worker processes, plain and secure address, certificate.
const nginxConfig = `daemon off;
%[1]s
worker_processes %[2]d;
pid %[3]s/nginx.pid;
error_log %[3]s/error.log;
worker_rlimit_nofile 65536;
events { worker_connections 20000; }
http {
  access_log off;
  default_type application/json;
  keepalive_requests 1000000000;
  sendfile on; tcp_nopush off;
  open_file_cache max=100;
  client_body_temp_path %[3]s/t1; proxy_temp_path %[3]s/t2; fastcgi_temp_path %[3]s/t3; uwsgi_temp_path %[3]s/t4; scgi_temp_path %[3]s/t5;
  server {
    listen %[4]s backlog=4096;
    listen %[5]s ssl backlog=4096;
    ssl_certificate %[6]s; ssl_certificate_key %[6]s; ssl_protocols TLSv1.3;
    root %[3]s/html;
    location = /count { stub_status; }
    location /items/ { try_files /items/1 =404; }
  }
}
`

// errNoNginx says that nginx is not installed.
var errNoNginx = errors.New("nginx is not installed")

// startNginx starts nginx with a configuration, pid and files of its own under dir.
func startNginx(dir string) (*target, error) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			return nil, errNoNginx
		}
	}
	for path, body := range documents() {
		name := filepath.Join(dir, "html", filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, body, 0o644); err != nil {
			return nil, err
		}
	}
	certificate, err := writeCertificate(dir)
	if err != nil {
		return nil, err
	}
	t := &target{
		name: "nginx", plain: freeAddress(), secure: freeAddress(), countsItself: true,
		countPath: "/count", countPattern: regexp.MustCompile(`(?m)^ \d+ \d+ (\d+)`),
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;"
	}
	config := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(nginxConfig, user, 1, dir, t.plain, t.secure, certificate)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return nil, err
	}
	if t.process, _, err = start([]string{program, "-p", dir, "-e", filepath.Join(dir, "error.log"), "-c", config}, false); err != nil {
		return nil, err
	}
	for range 100 {
		if _, err = t.count(); err == nil {
			return t, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.process.stop()
	return nil, fmt.Errorf("nginx does not answer: %w", err)
}

// freeAddress gives a loopback address that nobody listens on at the moment.
func freeAddress() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "127.0.0.1:18080"
	}
	defer l.Close()
	return l.Addr().String()
}

// writeCertificate writes a self-signed certificate and its key into one file.
func writeCertificate(dir string) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bench"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		return "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	name := filepath.Join(dir, "bench.pem")
	return name, os.WriteFile(name, text, 0o600)
}
