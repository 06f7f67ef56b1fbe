package engine

import (
	"errors"
	"hash/maphash"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/engine/wire"
)

// Limits of a cache, so that ten thousand users with one each stay small and a hostile server costs bounded memory.
const (
	cacheEntries = 100
	cacheText    = 2048 // bytes of a URL or a validator
)

// cache is what one user remembers of answers within an iteration (RFC 9111, as a private cache): until when they are fresh, and
// how to ask whether they have changed. Bodies are not kept: nobody reads one twice, since a request whose answer is read is
// always sent.
type cache struct {
	entries map[string]*cached
	order   []string // oldest first
}

type cached struct {
	etag, modified string
	until          time.Time // fresh before
	varies         bool      // the answer depends on the request's header lines …
	lines          uint64    // … which had this hash
}

// any reports whether there is something to look up.
func (c *cache) any() bool { return c != nil && len(c.order) > 0 }

func (c *cache) clear() {
	clear(c.entries)
	c.order = c.order[:0]
}

func (c *cache) drop(key string) {
	if _, ok := c.entries[key]; ok {
		delete(c.entries, key)
		c.order = slices.DeleteFunc(c.order, func(k string) bool { return k == key })
	}
}

func (c *cache) put(key string, e *cached) {
	c.drop(key)
	if len(c.order) >= cacheEntries {
		c.drop(c.order[0])
	}
	if c.entries == nil {
		c.entries = map[string]*cached{}
	}
	c.entries[key] = e
	c.order = append(c.order, key)
}

// find gives what is known of a URL, when it was asked for with the same header lines or these do not matter.
func (c *cache) find(key string, lines []byte) *cached {
	e := c.entries[key]
	if e == nil || e.varies && e.lines != c.hash(lines) {
		return nil
	}
	return e
}

var cacheSeed = maphash.MakeSeed()

func (c *cache) hash(lines []byte) uint64 { return maphash.Bytes(cacheSeed, lines) }

func cacheKey(at *location) string { return at.origin() + at.target }

// stillFresh reports whether the answer that the user has is still good: then nothing is sent.
func (u *user) stillFresh(at *location, lines []byte) bool {
	e := u.cache.find(cacheKey(at), lines)
	return e != nil && u.ctx.Now().Before(e.until)
}

// addConditions asks the server to answer 304 when what the user has is still good.
func (u *user) addConditions(head []byte, at *location, lines []byte) []byte {
	e := u.cache.find(cacheKey(at), lines)
	if e == nil {
		return head
	}
	if e.etag != "" {
		head = append(append(append(head, "If-None-Match: "...), e.etag...), "\r\n"...)
	}
	if e.modified != "" {
		head = append(append(append(head, "If-Modified-Since: "...), e.modified...), "\r\n"...)
	}
	return head
}

// remember takes what an answer says about being kept.
func (u *user) remember(at *location, lines []byte) {
	status := u.resp.Status
	if status != http.StatusOK && status != http.StatusNotModified && status != http.StatusNonAuthoritativeInfo {
		return
	}
	e, store, said := cachedOf(u.resp.Head, u.ctx.Now())
	if !said && !u.cache.any() {
		return // nothing is kept, and there is nothing to forget
	}
	key := cacheKey(at)
	if status == http.StatusNotModified {
		if known := u.cache.entries[key]; known != nil && said {
			known.until = e.until
		}
		return
	}
	if !store || len(key) > cacheText || len(e.etag)+len(e.modified) > cacheText {
		u.cache.drop(key)
		return
	}
	if e.varies {
		e.lines = u.cache.hash(lines)
	}
	u.cache.put(key, e)
}

// cachedOf reads the headers of an answer. said: it says anything about caching; store: it may be kept to some use.
func cachedOf(head []byte, now time.Time) (e *cached, store, said bool) {
	e = &cached{}
	var control, expires, date, vary string
	age := 0
	for name, value := range wire.Headers(head) {
		if len(name) < 3 || len(name) > 13 {
			continue
		}
		switch text := string(value); strings.ToLower(string(name)) {
		case "etag":
			e.etag, said = text, true
		case "last-modified":
			e.modified, said = text, true
		case "cache-control":
			control, said = strings.ToLower(control+","+text), true
		case "expires":
			expires, said = text, true
		case "date":
			date = text
		case "age":
			age, _ = strconv.Atoi(text)
		case "vary":
			vary = strings.ToLower(vary + "," + text)
		}
	}
	if !said || strings.Contains(control, "no-store") || strings.Contains(vary, "*") || strings.Contains(vary, "cookie") || strings.Contains(vary, "authorization") {
		return e, false, said
	}
	e.varies = vary != ""
	if !strings.Contains(control, "no-cache") {
		e.until = now.Add(freshFor(control, expires, date, age, now))
	}
	return e, e.etag != "" || e.modified != "" || e.until.After(now), true
}

// freshFor is how long an answer stays fresh (RFC 9111 section 4.2): by max-age, else by Expires. What says neither is asked for
// again; a guess of a lifetime would hide traffic.
func freshFor(control, expires, date string, age int, now time.Time) time.Duration {
	for part := range strings.SplitSeq(control, ",") {
		if text, ok := strings.CutPrefix(strings.TrimSpace(part), "max-age="); ok {
			seconds, err := strconv.Atoi(strings.Trim(text, `"`))
			if err != nil && !errors.Is(err, strconv.ErrRange) { // more than a number holds is for ever (section 1.2.2)
				return 0
			}
			return time.Duration(min(max(seconds-max(age, 0), 0), 1<<31)) * time.Second
		}
	}
	until, err := http.ParseTime(expires)
	if err != nil {
		return 0 // "0" and the like mean the past
	}
	if from, err := http.ParseTime(date); err == nil {
		now = from
	}
	return until.Sub(now) - time.Duration(age)*time.Second
}
