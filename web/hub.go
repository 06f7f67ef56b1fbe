package web

import (
	"encoding/json"
	"sync"
)

// maxViewers bounds the pages that look on at a time.
const maxViewers = 64

// hub hands the newest state to every viewer. Publishing never waits: a viewer that has not taken the last state yet gets the newer one
// in its place.
type hub struct {
	mu      sync.Mutex
	last    []byte // the newest state as JSON
	state   *state
	viewers map[chan []byte]struct{}
}

func newHub() *hub {
	h := &hub{viewers: map[chan []byte]struct{}{}}
	h.publish(&state{Phase: phaseIdle, Progress: -1})
	return h
}

func (h *hub) publish(s *state) {
	text, err := json.Marshal(s)
	if err != nil { // numbers and texts only
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last, h.state = text, s
	for v := range h.viewers {
		select {
		case <-v: // drop what was not taken
		default:
		}
		v <- text // has room now: only this goroutine fills it
	}
}

// join begins a viewer with the newest state; false when there are too many.
func (h *hub) join() (states chan []byte, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.viewers) >= maxViewers {
		return nil, false
	}
	states = make(chan []byte, 1)
	states <- h.last
	h.viewers[states] = struct{}{}
	return states, true
}

func (h *hub) leave(states chan []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.viewers, states)
}

// current is the newest state; it must not be changed.
func (h *hub) current() *state {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}
