package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// attempts is how often a request is tried that fails for a reason that may pass.
const attempts = 5

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 20

// client sends requests to one API.
type client struct {
	http    *http.Client
	base    string // without a slash at the end
	header  http.Header
	timeout time.Duration // of one try
	// observed is told what each try took, and whether the server was in trouble; nil: nobody wants to know.
	observed func(took time.Duration, trouble bool)
}

// answer is a response that was read.
type answer struct {
	status     int
	body       []byte
	retryAfter time.Duration // what the server asked for; 0: nothing
}

// do sends a request until it is answered with something that will not pass, or attempts are used up; then
// the last answer or error counts. Every request of an ingest may be repeated: a create that had worked
// is answered 409 the second time.
func (c *client) do(ctx context.Context, method, path string, body []byte) (answer, error) {
	return c.doAs(ctx, method, path, "application/json", body)
}

// doAs is do for a body of another type.
func (c *client) doAs(ctx context.Context, method, path, contentType string, body []byte) (answer, error) {
	var a answer
	var err error
	for try := range attempts {
		if try > 0 {
			if e := pause(ctx, try, a.retryAfter); e != nil {
				return a, errors.Join(e, err)
			}
		}
		begin := time.Now()
		a, err = c.once(ctx, method, path, contentType, body)
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
		if c.observed != nil {
			c.observed(time.Since(begin), err != nil || transient(a.status))
		}
		if err == nil && !transient(a.status) {
			return a, nil
		}
		if err != nil && try == 1 && errors.Is(err, syscall.ECONNREFUSED) {
			break // nobody listens: do not make people wait
		}
	}
	return a, err
}

func (c *client) once(ctx context.Context, method, path, contentType string, body []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	if body != nil {
		r.Header.Set("Content-Type", contentType)
	}
	r.Header.Set("Accept", "application/json, application/geo+json;q=0.9, */*;q=0.1")
	response, err := c.http.Do(r)
	if err != nil {
		return answer{}, shorter(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return answer{}, fmt.Errorf("read the answer of %s %s: %w", method, path, err)
	}
	a := answer{status: response.StatusCode, body: text}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		a.retryAfter = time.Duration(min(seconds, 30)) * time.Second
	}
	return a, nil
}

// shorter drops method and URL, which the caller knows, from an error of net/http.
func shorter(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}

func transient(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return true
	}
	return false
}

// pause waits longer each time, with a random part so that parallel senders do not come back together,
// or as long as the server asked for.
func pause(ctx context.Context, try int, asked time.Duration) error {
	step := 100 * time.Millisecond << (try - 1)
	return waitFor(ctx, max(asked, step/2+rand.N(step)))
}

func waitFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// text gives the answer as a short line for a message.
func (a answer) text() string {
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(a.body[:min(len(a.body), 1000)]), "\uFFFD")), " ")
	if len(s) > 160 {
		s = strings.ToValidUTF8(s[:160], "") + "…"
	}
	return s
}
