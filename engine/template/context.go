package template

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/expr-lang/expr/vm"
)

// Context is what a template may look at while it is written. There is one per virtual user; it
// must not be shared between goroutines.
type Context struct {
	*Place     // required
	Vars       *Vars
	Rand       *rand.Rand // reseeded by the owner for each iteration
	User       uint32     // from 0; __threadNum is one more
	Iteration  int64      // of this user, from 0; __iterationNum is one more
	Label      string     // of the request that is being built
	LastFailed bool       // the last sample of this user failed; ${JMeterThread.last_sample_ok} is the opposite
	Response   Response   // the response that a check looks at; nil while a request is built

	machine *vm.VM         // made on first use of an expr program
	env     map[string]any // reused by all programs of this user
	scratch []byte         // for arguments of functions
}

// Place is what the users of an execution have in common.
type Place struct {
	Execution string // its name
	Scenario  string // name of the scenario
	Now       func() time.Time
	Counters  *Counters // of the run
}

// Response is what expr checks see as status, body, headers and json.
type Response interface {
	StatusCode() int
	BodyText() string             // decoded body
	HeaderValues() map[string]any // by lower-case name; repeated headers are joined by ", "
	JSON() (any, error)           // decoded body with numbers as int or float64; the error says why it is not JSON
}

// Counters are the counters that all users of a run share, such as those of __counter(FALSE).
type Counters struct {
	// Number is the j-th number, from 0, of those that are counted here where several processes count together; nil: j.
	// It is set before the first user.
	Number func(j int64) int64

	shared []atomic.Int64
}

// next counts a counter up and returns its number, from 1.
func (c *Counters) next(counter int) int64 {
	j := c.shared[counter].Add(1) - 1
	if c.Number != nil {
		j = c.Number(j)
	}
	return j + 1
}

// NewCounters returns the counters of a run, all at 0. The table must be complete by then.
func NewCounters(names *Names) *Counters {
	return &Counters{shared: make([]atomic.Int64, names.counters)}
}
