package outlet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/stacrun/stacrun/reporters/report"
)

// Client posts to one receiver. It follows no redirect, since that would turn a post into a get.
type Client struct {
	http   *http.Client
	target *url.URL
	header http.Header
}

// answerLimit is how much of an answer is read.
const answerLimit = 64 << 10

// ParseURL reads the address of a receiver; it must be absolute and of one of the schemes.
func ParseURL(text string, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err // without the address, which may hold a secret
		}
		return nil, err
	}
	for _, scheme := range schemes {
		if u.Scheme == scheme && u.Host != "" {
			return u, nil
		}
	}
	return nil, fmt.Errorf("an address must begin with %s://", strings.Join(schemes, ":// or "))
}

// NewClient makes a client for the address. A user and password in it become a header.
func NewClient(target *url.URL, header map[string]string) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 2
	transport.MaxResponseHeaderBytes = answerLimit
	c := &Client{
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		target: target, header: http.Header{},
	}
	for name, value := range header {
		c.header.Set(name, value)
	}
	return c
}

// Answer is what a receiver said to a post that it took.
type Answer struct {
	Header http.Header
	Body   []byte // the first 64 kB
}

// StatusError is an answer of a receiver that is no success.
type StatusError struct {
	Code int
	Text string // the beginning of what it said, fit to print
}

// Error implements error.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("status %d %s", e.Code, http.StatusText(e.Code))
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// Post sends a body. Errors name neither path nor query of the address, which may hold secrets;
// those of status 4xx but 408 and 429 are [Permanent] and hold a [StatusError].
func (c *Client) Post(ctx context.Context, body []byte, header map[string]string) (*Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, Permanent(withoutURL(err))
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "stacrun")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil && resp.StatusCode/100 == 2 {
		return nil, fmt.Errorf("read the answer: %w", withoutURL(err))
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, answerLimit)) // so that the connection can be used again
	if resp.StatusCode/100 == 2 {
		return &Answer{Header: resp.Header, Body: text}, nil
	}
	failure := &StatusError{Code: resp.StatusCode, Text: report.Fit(strings.TrimSpace(report.Clean(string(text))), 200)}
	if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout {
		return nil, failure
	}
	return nil, Permanent(failure)
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// withoutURL gives the cause of an error of an HTTP client, without the address.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return Cause(err)
}

// Cause gives the cause of an error of a connection in few words: without the addresses that such
// errors begin with, since a notice names the receiver already.
func Cause(err error) error {
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.As(err, &timeout) && timeout.Timeout() {
		return errors.New("no answer in time") // only the end of a run cancels
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Err
	}
	return err
}
