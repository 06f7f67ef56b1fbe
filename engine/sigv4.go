package engine

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// signer signs requests as Amazon's services want it: Signature Version 4, in headers ("Signing AWS API requests", IAM User Guide).
type signer struct {
	region, service         string // service: es for OpenSearch domains, aoss for serverless collections
	access, secret, session string // session: "" for keys that last
}

// sign appends the lines that sign a request to its head, which ends behind its own lines. The host, the time and the hash of
// the body are signed; other headers may be changed on the way.
func (s *signer) sign(head, body []byte, now time.Time) []byte {
	stamp := now.UTC().Format("20060102T150405Z")
	sum := sha256.Sum256(body)
	payload := hex.EncodeToString(sum[:])
	headers := [][2]string{{"x-amz-content-sha256", payload}, {"x-amz-date", stamp}}
	if s.session != "" {
		headers = append(headers, [2]string{"x-amz-security-token", s.session})
	}
	line, lines, _ := bytes.Cut(head, []byte("\r\n"))
	method, rest, _ := strings.Cut(string(line), " ")
	target, _, _ := strings.Cut(rest, " ")
	if _, behind, absolute := splitScheme(target); absolute { // through a proxy
		_, target = splitAuthority(behind)
	}
	host, _, _ := bytes.Cut(lines, []byte("\r\n")) // the first line of every head that we make
	signed := append([][2]string{{"host", strings.TrimSpace(string(host[len("Host:"):]))}}, headers...)
	value := s.authorization(method, target, signed, payload, stamp)
	for _, h := range headers {
		head = append(append(append(append(head, h[0]...), ": "...), h[1]...), "\r\n"...)
	}
	return append(append(append(head, "Authorization: "...), value...), "\r\n"...)
}

// authorization is the header's value. headers are what is signed, in order of their lower-case names.
func (s *signer) authorization(method, target string, headers [][2]string, payload, stamp string) string {
	path, query, _ := strings.Cut(target, "?")
	var canonical strings.Builder
	names := make([]string, len(headers))
	canonical.WriteString(method + "\n" + canonicalPath(path) + "\n" + canonicalQuery(query) + "\n")
	for i, h := range headers {
		names[i] = h[0]
		canonical.WriteString(h[0] + ":" + strings.Join(strings.Fields(h[1]), " ") + "\n")
	}
	list := strings.Join(names, ";")
	canonical.WriteString("\n" + list + "\n" + payload)
	sum := sha256.Sum256([]byte(canonical.String()))

	day := stamp[:8]
	scope := day + "/" + s.region + "/" + s.service + "/aws4_request"
	text := "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + hex.EncodeToString(sum[:])
	key := []byte("AWS4" + s.secret)
	for _, part := range []string{day, s.region, s.service, "aws4_request", text} {
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(part)) // never fails (documented)
		key = mac.Sum(nil)
	}
	return "AWS4-HMAC-SHA256 Credential=" + s.access + "/" + scope + ", SignedHeaders=" + list + ", Signature=" + hex.EncodeToString(key)
}

// canonicalPath escapes the path as it is sent once more: all services but S3 sign it that way.
func canonicalPath(path string) string {
	if path == "" {
		return "/"
	}
	return awsEscape(path, true)
}

// canonicalQuery sorts the parameters by name, then by value, each decoded and escaped anew.
func canonicalQuery(query string) string {
	if query == "" {
		return ""
	}
	parts := strings.Split(query, "&")
	pairs := make([][2]string, 0, len(parts))
	for _, part := range parts {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		pairs = append(pairs, [2]string{awsEscape(percentDecoded(name), false), awsEscape(percentDecoded(value), false)})
	}
	slices.SortFunc(pairs, func(a, b [2]string) int {
		if c := strings.Compare(a[0], b[0]); c != 0 {
			return c
		}
		return strings.Compare(a[1], b[1])
	})
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p[0] + "=" + p[1])
	}
	return b.String()
}

// percentDecoded undoes escapes; "+" is a space, as the services read it.
func percentDecoded(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b = append(b, ' ')
		case s[i] == '%' && i+2 < len(s):
			if raw, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				b = append(b, raw[0])
				i += 2
				continue
			}
			b = append(b, '%')
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

func awsEscape(s string, slash bool) string {
	const digits = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+8)
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~' || c == '/' && slash {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(b)
}
