package engine

import "math/rand/v2"

// stream names one random stream: every draw of an iteration comes from the stream of its key, so
// that fixed work sends the same requests for the same seed, whoever does it.
type stream struct {
	pcg  rand.PCG
	rand *rand.Rand
}

// streams beside those of iterations; they cannot collide with a user's number.
const (
	streamPrepare = 1<<63 + iota
	streamSetup
	streamTeardown
	streamShuffle
	streamArrivals
)

func newStream() *stream {
	s := new(stream)
	s.rand = rand.New(&s.pcg)
	return s
}

// rekey turns s into the stream of (seed, execution, who, count). In closed plans who is the user
// and count its iteration; in open and shared-total plans who is 0 and count the arrival.
func (s *stream) rekey(seed uint64, execution int, who uint64, count int64) {
	hi := mix(seed ^ mix(uint64(execution)+0x9e3779b97f4a7c15))
	lo := mix(mix(who+0x632be59bd9b4e019) ^ uint64(count))
	s.pcg.Seed(mix(hi^lo), mix(hi+lo+0x2545f4914f6cdd1d))
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that spreads each bit over all others.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
