// Package ports gives tests addresses of this machine that other tests, of this process or of one beside it, do not take.
//
// An address whose listener was closed is not enough: the system may give it to the next who listens. Ports here are drawn
// from below those that systems give to connections and to listeners of port 0.
package ports

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Nobody draws a port to listen at from those of the dead.
const (
	lowestDead = 10_000
	lowestFree = 20_000
	end        = 32_000
)

// Dead gives an address where nobody listens, nor will.
func Dead(t testing.TB) string {
	t.Helper()
	return draw(t, lowestDead, lowestFree)
}

// Free gives an address where the test, or a process that it starts, can listen.
func Free(t testing.TB) string {
	t.Helper()
	return draw(t, lowestFree, end)
}

func draw(t testing.TB, lowest, end int) string {
	t.Helper()
	for range 100 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowest+rand.IntN(end-lowest)))
		if listener, err := net.Listen("tcp", address); err == nil {
			_ = listener.Close()
			return address
		}
	}
	t.Fatalf("no port from %d to %d is free", lowest, end)
	return ""
}
