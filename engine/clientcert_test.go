package engine

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeCertificate makes a key and a certificate of its own for it, as PEM files.
func writeCertificate(t *testing.T, name string) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// A server that asks for a certificate sees the one of the file; without one there is no session.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	var seen string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = r.TLS.PeerCertificates[0].Subject.CommonName
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	cert, key := writeCertificate(t, "a load tester")
	_, otherKey := writeCertificate(t, "another")
	text := func(settings string) string {
		return fmt.Sprintf("execution: [{scenario: s}]\nscenarios: {s: {default-address: %q, tls: {verify: false%s}, requests: [/]}}\n", server.URL, settings)
	}
	if snap := runPlan(t, compile(t, text(", cert: "+cert+", key: "+key)), RunOptions{}); snap.Total().Failed != 0 || seen != "a load tester" {
		t.Errorf("the server saw %q; failed: %+v", seen, snap.Errors())
	}
	snap := runPlan(t, compile(t, text("")), RunOptions{})
	if e := snap.Errors(); len(e) != 1 || !strings.HasPrefix(e[0].Text, "tls: ") {
		t.Errorf("without a certificate: %+v", e)
	}
	if got := mistakes(t, text(", cert: "+cert+", key: "+otherKey)); !strings.Contains(got, "bad-certificate") {
		t.Errorf("a key of another certificate: %s", got)
	}
}
