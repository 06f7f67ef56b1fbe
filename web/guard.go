package web

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/stacrun/stacrun/internal/origin"
)

// secretHeader carries the page's secret in requests that change something. A page of another origin can neither read the secret nor set
// the header.
const secretHeader = "X-Stacrun-Secret"

// cookieName is of the cookie that holds the token once it was given. To a browser all ports are one host.
func (s *Server) cookieName() string {
	_, port, _ := net.SplitHostPort(s.listener.Addr().String()) // an address of a listener has one
	return "stacrun-token-" + port
}

// guard refuses whoever may not look, and whatever another origin has made a browser send.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if s.token == "" && !origin.Loopback(origin.Named(r)) {
			// A name that another page could have made point here.
			refuse(w, http.StatusForbidden, "this page is only for this machine; open "+s.URL())
			return
		}
		if who, foreign := origin.Foreign(r); foreign {
			refuse(w, http.StatusForbidden, "this page takes no requests of "+who)
			return
		}
		if !s.admitted(w, r) {
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead && !equal(r.Header.Get(secretHeader), s.secret) {
			refuse(w, http.StatusForbidden, "the page is an old one: load it again")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// admitted checks the token where one is asked for. Given in the address, it becomes a cookie and leaves the address.
func (s *Server) admitted(w http.ResponseWriter, r *http.Request) bool {
	if s.token == "" {
		return true
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && equal(bearer, s.token) {
		return true
	}
	if given := r.URL.Query().Get("token"); r.Method == http.MethodGet && equal(given, s.token) {
		http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: url.QueryEscape(s.token), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
		return false
	}
	if cookie, err := r.Cookie(s.cookieName()); err == nil && equal(cookie.Value, url.QueryEscape(s.token)) {
		return true
	}
	refuse(w, http.StatusUnauthorized, "this page asks for its token: open the address that was printed when it began, with ?token=…")
	return false
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
