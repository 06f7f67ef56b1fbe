package engine

import (
	"sync"
	"testing"
)

// A run may be aborted while its users make their first connections to hosts that nobody knew before: for the race detector.
func TestAbortBesideANewHost(t *testing.T) {
	for range 100 {
		u := lone(t, "execution: [{scenario: s}]\nscenarios: {s: {requests: ['http://127.0.0.1:1/']}}")
		to := u.run.engine.newTarget(&target{at: location{scheme: "http", host: "127.0.0.1", port: "2"}})
		var both sync.WaitGroup
		begun := make(chan struct{})
		both.Go(func() {
			close(begun)
			u.abort()
		})
		<-begun
		u.extraConnection(to)
		both.Wait()
	}
}
