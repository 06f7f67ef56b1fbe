package engine

import (
	"strings"

	"github.com/stacrun/stacrun/config"
)

// cacheable notes a request whose answers a user's cache may hold. A request whose answer is read is always sent, and so is one
// that says itself what it wants of caches.
func (c *compiler) cacheable(r *request, s *config.RequestSettings, sc *scope) {
	if !sc.cache || r.method != "GET" || r.methodText != nil || r.bodyText != nil || r.parts != nil || r.bodyFile != nil || len(r.extractions)+len(r.checks) > 0 {
		return
	}
	for _, name := range []string{"if-none-match", "if-modified-since", "cache-control", "pragma", "range"} {
		if hasHeader(s.Headers, name) {
			return
		}
	}
	if c.loops > 0 {
		c.useCache(r)
		return
	}
	c.once = append(c.once, r)
}

func (c *compiler) useCache(r *request) {
	r.caches, r.wire.KeepHead, c.x.caching = true, true, true
}

// findRepeats switches the cache on for requests that another one of the same iteration may repeat: all others need none of it,
// as it is emptied with each iteration.
func (c *compiler) findRepeats() {
	type place struct {
		target int
		path   string
	}
	constants, dynamic, all := map[place]int{}, map[int]int{}, map[int]int{}
	placeOf := func(r *request) (place, bool) {
		if r.target < 0 {
			return place{target: -1}, false
		}
		path, ok := r.pathText.Constant()
		return place{r.target, strings.TrimSpace(path)}, ok
	}
	for _, r := range c.once {
		p, constant := placeOf(r)
		all[p.target]++
		if constant {
			constants[p]++
		} else {
			dynamic[p.target]++
		}
	}
	for _, r := range c.once {
		p, constant := placeOf(r)
		switch {
		case constant && constants[p] < 2 && dynamic[p.target] == 0 && dynamic[-1] == 0:
		case !constant && p.target >= 0 && all[p.target] < 2 && dynamic[-1] == 0:
		case p.target < 0 && len(c.once) < 2:
		default:
			c.useCache(r)
		}
	}
}
