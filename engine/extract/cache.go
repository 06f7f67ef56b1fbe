package extract

import "sync"

// cacheSize bounds the compiled queries that are kept of one template.
const cacheSize = 256

// Cache keeps what was compiled from texts that differ per user, such as a pattern with a variable
// in it. The zero Cache is ready for use, by any goroutine.
type Cache[T any] struct {
	mu      sync.RWMutex
	entries map[string]T // guarded by mu
}

// Get returns what was made for the key, or makes it. Errors are not kept.
func (c *Cache[T]) Get(key string, compile func() (T, error)) (T, error) {
	c.mu.RLock()
	entry, ok := c.entries[key]
	c.mu.RUnlock()
	if ok {
		return entry, nil
	}
	entry, err := compile()
	if err != nil {
		return entry, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= cacheSize {
		c.entries = make(map[string]T, 16)
	}
	c.entries[key] = entry
	return entry, nil
}
