package api

import (
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// Options of a [Server].
type Options struct {
	// BaseURL is what links begin with, such as "https://stac.example.com". "": made from each request's
	// Host (and X-Forwarded-Proto and X-Forwarded-Host, when TrustForwarded is set).
	BaseURL        string
	TrustForwarded bool
	Title          string // of the landing page; "" : a default
	ReadOnly       bool   // answer 405 to every write
	Log            *slog.Logger
}

// maxBody bounds the body of a request in bytes.
const maxBody = 64 << 20

// Server is the API as an http.Handler.
type Server struct {
	store   Store
	options Options
	buffers sync.Pool  // *[]byte, answers in the making
	patch   sync.Mutex // held while a document is read, changed and written
}

// New returns the API over a store.
func New(store Store, options Options) *Server {
	if options.Title == "" {
		options.Title = "stacrun embedded STAC API"
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	options.BaseURL = strings.TrimSuffix(options.BaseURL, "/")
	return &Server{store: store, options: options, buffers: sync.Pool{New: func() any { return new([]byte) }}}
}

// exchange is one request being answered.
type exchange struct {
	*http.Request
	w    http.ResponseWriter
	s    *Server
	base string   // without a slash at the end
	path []string // unescaped segments
}

// handler answers a request or returns why not.
type handler func(*exchange) error

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", "*")
	x := &exchange{Request: r, w: w, s: s, base: s.base(r)}
	methods, err := s.route(x)
	if err == nil {
		err = x.dispatch(methods)
	}
	if err == nil {
		return
	}
	answer := asError(err)
	if answer.Status >= http.StatusInternalServerError {
		s.options.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	dst := append([]byte(`{"code":`), quoted(answer.Code)...)
	dst = append(dst, `,"description":`...)
	dst = append(dst, quoted(answer.Description)...)
	x.write(answer.Status, mediaJSON, append(dst, '}'))
}

// route finds the handlers of a path by method.
func (s *Server) route(x *exchange) (map[string]handler, error) {
	var err error
	if x.path, err = segments(x.URL.EscapedPath()); err != nil {
		return nil, err
	}
	p := x.path
	switch {
	case len(p) == 0:
		return get((*exchange).landing), nil
	case p[0] == "collections":
		return s.routeCollections(p[1:])
	case len(p) == 1:
		switch p[0] {
		case "conformance":
			return get((*exchange).conformance), nil
		case "api":
			return get((*exchange).openAPI), nil
		case "api.html":
			return get((*exchange).documentation), nil
		case "search":
			return map[string]handler{http.MethodGet: (*exchange).searchGet, http.MethodPost: (*exchange).searchPost}, nil
		case "queryables":
			return get((*exchange).queryables), nil
		case "sortables":
			return get((*exchange).sortables), nil
		}
	case len(p) == 2 && p[0] == "_mgmt" && p[1] == "ping":
		return get((*exchange).ping), nil
	case len(p) == 2 && p[0] == "_mgmt" && p[1] == "health":
		return get((*exchange).health), nil
	}
	return nil, notFound("there is nothing at %s", x.URL.Path)
}

func (s *Server) routeCollections(p []string) (map[string]handler, error) {
	switch {
	case len(p) == 0:
		return s.writes(get((*exchange).collections), map[string]handler{http.MethodPost: (*exchange).postCollection}), nil
	case len(p) == 1:
		return s.writes(get((*exchange).collection), map[string]handler{
			http.MethodPut: (*exchange).putCollection, http.MethodPatch: (*exchange).patchCollection,
			http.MethodDelete: (*exchange).deleteCollection,
		}), nil
	case len(p) == 2:
		switch p[1] {
		case "items":
			return s.writes(get((*exchange).items), map[string]handler{http.MethodPost: (*exchange).postItems}), nil
		case "bulk_items":
			return s.writes(map[string]handler{}, map[string]handler{http.MethodPost: (*exchange).bulk}), nil
		case "queryables":
			return get((*exchange).queryables), nil
		case "sortables":
			return get((*exchange).sortables), nil
		}
	case len(p) == 3 && p[1] == "items":
		return s.writes(get((*exchange).item), map[string]handler{
			http.MethodPut: (*exchange).putItem, http.MethodPatch: (*exchange).patchItem,
			http.MethodDelete: (*exchange).deleteItem,
		}), nil
	}
	return nil, notFound("there is nothing at /collections/%s", strings.Join(p, "/"))
}

func get(h handler) map[string]handler { return map[string]handler{http.MethodGet: h} }

// writes adds the handlers that change data unless the server is read-only.
func (s *Server) writes(methods, changing map[string]handler) map[string]handler {
	if !s.options.ReadOnly {
		for method, h := range changing {
			methods[method] = h
		}
	}
	return methods
}

// segments splits a path; one slash at its end does not count.
func segments(escaped string) ([]string, error) {
	trimmed := strings.TrimSuffix(strings.TrimPrefix(escaped, "/"), "/")
	if trimmed == "" {
		return nil, nil
	}
	parts := strings.Split(trimmed, "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return nil, badRequest("path %s: %v", escaped, err)
		}
		parts[i] = plain
	}
	return parts, nil
}

func (x *exchange) dispatch(methods map[string]handler) error {
	method := x.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if h, ok := methods[method]; ok {
		return h(x)
	}
	allowed := []string{http.MethodOptions}
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		_, ok := methods[m]
		if m == http.MethodHead {
			_, ok = methods[http.MethodGet]
		}
		if ok {
			allowed = append(allowed, m)
		}
	}
	x.w.Header().Set("Allow", strings.Join(allowed, ", "))
	if method == http.MethodOptions {
		x.w.Header().Set("Access-Control-Allow-Methods", strings.Join(allowed, ", "))
		x.w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		x.w.Header().Set("Access-Control-Max-Age", "600")
		x.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return &Error{http.StatusMethodNotAllowed, "MethodNotAllowed", x.Method + " is not allowed on " + x.URL.Path}
}

// base returns what links begin with.
func (s *Server) base(r *http.Request) string {
	if s.options.BaseURL != "" {
		return s.options.BaseURL
	}
	scheme, host := "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if s.options.TrustForwarded {
		if proto := r.Header.Get("X-Forwarded-Proto"); proto == "http" || proto == "https" {
			scheme = proto
		}
		if forwarded := r.Header.Get("X-Forwarded-Host"); forwarded != "" {
			host = forwarded
		}
	}
	// The host goes into JSON as it is: net/http has checked its characters, but lets quotes pass.
	if strings.ContainsAny(host, "\"\\<>") {
		host = "invalid"
	}
	return scheme + "://" + host
}

// body reads the request's body and checks that it says to be JSON.
func (x *exchange) body() ([]byte, error) {
	media, _, _ := strings.Cut(x.Header.Get("Content-Type"), ";")
	switch media = strings.TrimSpace(strings.ToLower(media)); media {
	case "", mediaJSON, mediaGeoJSON, "application/merge-patch+json":
	default:
		return nil, &Error{http.StatusUnsupportedMediaType, "UnsupportedMediaType", "content type " + media + " is not JSON"}
	}
	text, err := io.ReadAll(http.MaxBytesReader(x.w, x.Body, maxBody))
	if err != nil {
		if len(text) >= maxBody {
			return nil, &Error{http.StatusRequestEntityTooLarge, "TooLarge", "the body is larger than 64 MiB"}
		}
		return nil, badRequest("read the body: %v", err)
	}
	return text, nil
}

// write sends an answer.
func (x *exchange) write(status int, media string, body []byte) {
	header := x.w.Header()
	header.Set("Content-Type", media)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	if x.Method != http.MethodHead {
		_, _ = x.w.Write(body) // a client that went away is no error of ours
	}
}

// send builds an answer with status 200 in a reused buffer.
func (x *exchange) send(media string, build func(dst []byte) []byte) {
	buffer := x.s.buffers.Get().(*[]byte)
	*buffer = build((*buffer)[:0])
	x.write(http.StatusOK, media, *buffer)
	if cap(*buffer) <= 4<<20 {
		x.s.buffers.Put(buffer)
	}
}
