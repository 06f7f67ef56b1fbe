package nats

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"time"

	"github.com/stacrun/stacrun/internal/input"
)

// certificateLife is longer than any run, and than anybody keeps a certificate. Agents look at the fingerprint alone.
const certificateLife = 10 * 365 * 24 * time.Hour

// certificateIn reads certificate and key from a PEM file; where there is none, it makes them and writes it.
func certificateIn(file string, now time.Time) (tls.Certificate, string, error) {
	text, err := input.File(file, input.MaxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return keepCertificate(file, now)
	}
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("read the certificate: %w", err)
	}
	certificate, err := tls.X509KeyPair(text, text)
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("certificate and key in %s: %w; name a PEM file with both, or one that is not there yet", file, err)
	}
	return certificate, fingerprint(certificate.Certificate[0]), nil
}

// keepCertificate makes a certificate for more than one run. Only its owner can read the file, as it holds the key.
func keepCertificate(file string, now time.Time) (tls.Certificate, string, error) {
	certificate, print, err := newCertificate(now)
	if err != nil {
		return tls.Certificate{}, "", err
	}
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("write the certificate: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		_ = os.Remove(file) // half of one, on a full disk, would be no certificate to the next controller
		return tls.Certificate{}, "", fmt.Errorf("write the certificate: %w", err)
	}
	return certificate, print, nil
}

// newCertificate makes a certificate. It names no host: agents know it by its fingerprint.
func newCertificate(now time.Time) (tls.Certificate, string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("make a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("make a certificate: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "stacrun controller"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true, IsCA: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("make a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, fingerprint(der), nil
}

func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// errFingerprint is the end of a connection to somebody else.
var errFingerprint = errors.New("the certificate has another fingerprint than the address says")

// known accepts the one certificate with that fingerprint. There is no authority and no name to verify: the fingerprint came with the
// address, so it says more than both.
func known(print string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, //nolint:gosec // the fingerprint is verified instead
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 || subtle.ConstantTimeCompare([]byte(fingerprint(state.PeerCertificates[0].Raw)), []byte(print)) != 1 {
				return errFingerprint
			}
			return nil
		},
	}
}
