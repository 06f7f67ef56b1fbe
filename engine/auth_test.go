package engine

import (
	"crypto/md5" //nolint:gosec // of the protocol
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDigestOfTheRFC computes the examples of RFC 7616 section 3.9.1.
func TestDigestOfTheRFC(t *testing.T) {
	for algorithm, want := range map[string]string{
		"MD5":     "8ca523f5e9506fed4657c9700eebdbec",
		"SHA-256": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
	} {
		line := `Basic realm="x", Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=` + algorithm +
			`, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`
		c := chooseChallenge(slices.Values([][]byte{[]byte(line)}), "http-auth@example.org")
		if c == nil || !c.digest {
			t.Fatalf("%s: %+v", algorithm, c)
		}
		c.count = 1
		got := string(c.line(nil, "Mufasa", "Circle of Life", "GET", "/dir/index.html", nil, "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"))
		for _, part := range []string{`response="` + want + `"`, "qop=auth, nc=00000001", "algorithm=" + algorithm, `username="Mufasa"`} {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %s is not in %s", algorithm, part, got)
			}
		}
	}
}

func TestParseChallenges(t *testing.T) {
	got := parseChallenges(`Negotiate, Newauth realm="a, \"b\"", type=1 , title = "x", NTLM TlRM==, Basic realm=plain`)
	want := []asked{
		{"Negotiate", map[string]string{}}, {"Newauth", map[string]string{"realm": `a, "b"`, "type": "1", "title": "x"}},
		{"NTLM", map[string]string{"tlrm": ""}}, {"Basic", map[string]string{"realm": "plain"}},
	}
	opts := cmp.AllowUnexported(asked{})
	if diff := cmp.Diff(want, got, opts); diff != "" {
		t.Log(diff) // what stands in token68 is of no interest …
	}
	if last := got[len(got)-1]; last.scheme != "Basic" || last.params["realm"] != "plain" {
		t.Errorf("last challenge %+v", last)
	}
	for _, broken := range []string{"", ",", "=", `Digest realm="`, `Digest =`, "\x00", `Digest a="b" c`} {
		_ = parseChallenges(broken) // … but nothing may hang
	}
}

// digestServer lets in who answers its challenge; each nonce is good for some requests.
type digestServer struct {
	*seen
	mu     sync.Mutex
	nonces map[string]int
	asked  int
}

func newDigestServer(t *testing.T, uses int) *digestServer {
	d := &digestServer{nonces: map[string]int{}}
	part := regexp.MustCompile(`(\w+)="?([^",]*)"?`)
	sum := func(text string) string { h := md5.Sum([]byte(text)); return hex.EncodeToString(h[:]) } //nolint:gosec // of the protocol
	d.seen = newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		defer d.mu.Unlock()
		stale := ""
		if given := strings.TrimPrefix(r.Header.Get("Authorization"), "Digest "); given != "" {
			p := map[string]string{}
			for _, m := range part.FindAllStringSubmatch(given, -1) {
				p[m[1]] = m[2]
			}
			used, known := d.nonces[p["nonce"]]
			want := sum(strings.Join([]string{sum("u:r:p"), p["nonce"], p["nc"], p["cnonce"], "auth", sum(r.Method + ":" + r.RequestURI)}, ":"))
			switch {
			case !known || p["response"] != want || p["uri"] != r.RequestURI:
			case used >= uses:
				stale = ", stale=true"
			case p["nc"] != fmt.Sprintf("%08x", used+1):
				t.Errorf("nc %s, want %d", p["nc"], used+1)
			default:
				d.nonces[p["nonce"]]++
				return
			}
		}
		d.asked++
		nonce := fmt.Sprintf("n%d", d.asked)
		d.nonces[nonce] = 0
		w.Header().Add("WWW-Authenticate", `Basic realm="r"`)
		w.Header().Add("WWW-Authenticate", `Digest realm="r", nonce="`+nonce+`", qop="auth"`+stale)
		w.WriteHeader(http.StatusUnauthorized)
	})
	return d
}

func TestDigestAuthorization(t *testing.T) {
	s := newDigestServer(t, 1000)
	snap := script(t, s.seen, `
    authorization: {name: u, password: p}
    requests: [/a, {url: '/b?x=1', method: POST, body: hello}, /c]
`)
	// One challenge per user: two exchanges for the first request, one for each later one.
	if total := snap.Total(); total.Finished != 3 || total.Failed != 0 || total.Exchanges != 4 || s.hits.Load() != 4 {
		t.Errorf("finished %d, failed %d, exchanges %d, server %d: %+v", total.Finished, total.Failed, total.Exchanges, s.hits.Load(), snap.Errors())
	}
	t.Run("stale nonces are replaced", func(t *testing.T) {
		s := newDigestServer(t, 2)
		snap := script(t, s.seen, "    authorization: {mechanism: digest, name: u, password: p}\n    requests: [/a, /a, /a, /a]\n")
		if total := snap.Total(); total.Failed != 0 || total.Exchanges != 6 {
			t.Errorf("failed %d, exchanges %d: %+v", total.Failed, total.Exchanges, snap.Errors())
		}
	})
	t.Run("a wrong password is tried once", func(t *testing.T) {
		s := newDigestServer(t, 2)
		snap := script(t, s.seen, "    authorization: {name: u, password: wrong}\n    requests: [/a]\n")
		if total := snap.Total(); total.Failed != 1 || total.Exchanges != 2 {
			t.Errorf("failed %d, exchanges %d", total.Failed, total.Exchanges)
		}
	})
	t.Run("each user answers for itself, and anew in each iteration when told to", func(t *testing.T) {
		for clear, want := range map[bool]int64{false: 2*3 + 2, true: 2 * 3 * 2} {
			s := newDigestServer(t, 1000)
			snap := runPlan(t, compile(t, fmt.Sprintf(`
execution: [{concurrency: 2, iterations: 3, scenario: s}]
scenarios: {s: {default-address: %q, authorization: {clear: %v, list: [{url: %q, name: u, password: p}]}, requests: [/a]}}
`, s.URL, clear, s.URL)), RunOptions{})
			if total := snap.Total(); total.Failed != 0 || total.Exchanges != want {
				t.Errorf("clear %v: failed %d, exchanges %d, want 0 and %d", clear, total.Failed, total.Exchanges, want)
			}
		}
	})
}

func TestBasicByChallenge(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(401)
		}
	})
	script(t, s, "    authorization: {name: u, password: p}\n    requests: [/a, /b]\n")
	wantSeen(t, s, "GET /a", "GET /a Authorization=Basic dTpw", "GET /b Authorization=Basic dTpw")
	s.forget()
	script(t, s, "    authorization: {name: u, password: p, domain: example.com}\n    requests: [/a]\n")
	wantSeen(t, s, "GET /a") // the rule is another host's
}

func TestTokensAreFetchedOncePerRun(t *testing.T) {
	var fetched atomic.Int64
	auth := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		if id != "me" || secret != "sesame" || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "read" {
			w.WriteHeader(401)
			return
		}
		n := fetched.Add(1)
		life := 0.2
		if n > 1 {
			life = 3600
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": fmt.Sprint("t", n), "token_type": "bearer", "expires_in": life})
	}))
	defer auth.Close()
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("Authorization")) })
	text := func(secret string) string {
		return fmt.Sprintf(`    authorization: {client-id: me, client-secret: %s, token-url: %q, scope: read}
    variables: {token: none}
    requests: [{loop: 4000, do: [{if: 'token != "Bearer t2"', then: [{url: /a, think-time: 5ms, extract-regexp: {token: {regexp: .+, template: 0}}}]}]}, /b]
`, secret, auth.URL)
	}
	if snap := script(t, s, text("sesame")); snap.Total().Failed != 0 || fetched.Load() != 2 {
		t.Errorf("%d tokens were fetched, want one and its renewal: %+v", fetched.Load(), snap.Errors())
	}
	first, last := "GET /a Authorization=Bearer t1", []string{"GET /a Authorization=Bearer t2", "GET /b Authorization=Bearer t2"}
	wantSeen(t, s, append(slices.Repeat([]string{first}, len(s.got)-2), last...)...)
	e := New(compile(t, fmt.Sprintf("execution: [{scenario: s}]\nscenarios:\n  s:\n    default-address: %q\n%s", s.URL, text("wrong"))), RunOptions{})
	if _, err := runEngine(t, e); err == nil || !strings.Contains(err.Error(), "oauth2") || !strings.Contains(err.Error(), "401") {
		t.Errorf("error %v, want one that names the token's server", err)
	}
}

// TestSignature computes cases of Amazon's own test suite for Signature Version 4.
func TestSignature(t *testing.T) {
	s := &signer{region: "us-east-1", service: "service", access: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}
	const stamp, empty = "20150830T123600Z", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	headers := [][2]string{{"host", "example.amazonaws.com"}, {"x-amz-date", stamp}}
	for _, tt := range []struct{ name, method, target, want string }{
		{"get-vanilla", "GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"get-vanilla-query-order-key-case", "GET", "/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
		{"post-vanilla", "POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
	} {
		got := s.authorization(tt.method, tt.target, headers, empty, stamp)
		want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=" + tt.want
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, want)
		}
	}
	for query, want := range map[string]string{"b=2&a=x%7Ey+z&a=1&c": "a=1&a=x~y%20z&b=2&c=", "q=a%2Fb": "q=a%2Fb"} {
		if got := canonicalQuery(query); got != want {
			t.Errorf("query %s: got %s, want %s", query, got, want)
		}
	}
	if got := canonicalPath("/idx/_doc/a%2Fb"); got != "/idx/_doc/a%252Fb" {
		t.Errorf("path %s", got)
	}
}

func TestSignedRequests(t *testing.T) {
	var heads []http.Header
	s := newSeen(t, func(_ http.ResponseWriter, r *http.Request) { heads = append(heads, r.Header) })
	snap := script(t, s, `
    authorization: {mechanism: sigv4, region: eu-west-1, service: aoss, access-key: AK, secret-key: SK}
    requests: ['/idx/_search?q=1', {url: /idx/_doc, method: POST, body: '{"a":1}'}]
`)
	if snap.Total().Failed != 0 || len(heads) != 2 {
		t.Fatalf("%d requests: %+v", len(heads), snap.Errors())
	}
	if a := heads[0].Get("Authorization"); !strings.Contains(a, "/eu-west-1/aoss/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=") {
		t.Error(a)
	}
	if a, b := heads[0].Get("X-Amz-Content-Sha256"), heads[1].Get("X-Amz-Content-Sha256"); len(a) != 64 || len(b) != 64 || a == b {
		t.Errorf("hashes of the bodies: %s and %s", a, b)
	}
	if got := mistakes(t, "execution: [{scenario: s}]\nscenarios: {s: {authorization: {mechanism: sigv4, region: x}, requests: ['http://h/']}}"); !strings.Contains(got, "AWS_ACCESS_KEY_ID") {
		t.Errorf("got %q, want an error that names the variable of the environment", got)
	}
}
