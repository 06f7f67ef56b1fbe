package nats

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	client "github.com/nats-io/nats.go"

	"github.com/stacrun/stacrun/cluster"
)

const (
	connectTimeout = 5 * time.Second
	retryEvery     = time.Second
	keptWhileAway  = 64 << 20 // bytes that are kept while the connection is down
)

// link is an agent's end.
type link struct {
	id   string
	conn *client.Conn
	raw  chan *client.Msg
	down chan []byte
	gone chan struct{} // closed when the connection is closed for good
	pump sync.WaitGroup
	once sync.Once
}

var _ cluster.Link = (*link)(nil)

// Connect connects an agent to a controller. One that is not there yet is tried again until ctx ends; waiting is told once, with the
// reason. What cannot get better by waiting, such as a wrong token, is an error.
func Connect(ctx context.Context, a Address, waiting func(reason error)) (cluster.Link, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	for told := false; ; {
		l, err := connect(a)
		switch {
		case err == nil:
			return l, nil
		case errors.Is(err, client.ErrAuthorization), errors.Is(err, client.ErrAuthExpired):
			return nil, fmt.Errorf("the controller at %s does not know this token: copy the address that it printed when it started", a.Host)
		case errors.Is(err, errFingerprint):
			return nil, fmt.Errorf("%s is not the controller that is meant: %w; copy the address that it printed when it started", a.Host, errFingerprint)
		case errors.Is(err, client.ErrSecureConnRequired):
			return nil, fmt.Errorf("the controller at %s speaks TLS only: copy the address that it printed (tls://…)", a.Host)
		case errors.Is(err, client.ErrSecureConnWanted):
			return nil, fmt.Errorf("the controller at %s does not speak TLS: it is not the one that is meant", a.Host)
		}
		if !told && waiting != nil {
			told = true
			if errors.Is(err, client.ErrNoServers) {
				err = errors.New("nothing answers there yet")
			}
			waiting(err)
		}
		select {
		case <-time.After(retryEvery):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func connect(a Address) (*link, error) {
	l := &link{id: secret(idBytes), raw: make(chan *client.Msg, queue), down: make(chan []byte, queue), gone: make(chan struct{})}
	options := []client.Option{
		client.Token(a.Token), client.Name(l.id), client.Timeout(connectTimeout), client.MaxReconnects(-1), client.ReconnectWait(200 * time.Millisecond),
		client.ReconnectJitter(0, 0), client.ReconnectBufSize(keptWhileAway), client.PingInterval(2 * time.Second), client.MaxPingsOutstanding(3),
		client.ErrorHandler(unheard), client.ClosedHandler(func(*client.Conn) { close(l.gone) }),
	}
	// The client only tells that no server was to its liking, so what was wrong with this one is noted on the way.
	var refused atomic.Pointer[error]
	options = append(options, func(o *client.Options) error {
		o.Secure, o.TLSConfig = a.Fingerprint != "", known(a.Fingerprint)
		verify := o.TLSConfig.VerifyConnection
		o.TLSConfig.VerifyConnection = func(state tls.ConnectionState) error {
			err := verify(state)
			if a.Fingerprint == "" {
				err = client.ErrSecureConnRequired
			}
			if err != nil {
				refused.Store(&err)
			}
			return err
		}
		return nil
	})
	conn, err := client.Connect("nats://"+a.Host, options...)
	if why := refused.Load(); why != nil {
		err = *why
	}
	if err != nil {
		return nil, err
	}
	l.conn = conn
	for _, subject := range []string{toAgent + l.id, toAll} {
		if _, err := conn.ChanSubscribe(subject, l.raw); err != nil {
			conn.Close()
			return nil, err
		}
	}
	if err := conn.FlushTimeout(connectTimeout); err != nil {
		conn.Close()
		return nil, err
	}
	l.pump.Go(l.read)
	return l, nil
}

// read hands messages on until the connection is closed for good.
func (l *link) read() {
	defer close(l.down)
	for {
		select {
		case m := <-l.raw:
			select {
			case l.down <- m.Data:
			case <-l.gone:
				return
			}
		case <-l.gone:
			return
		}
	}
}

// Send implements [cluster.Link].
func (l *link) Send(message []byte) error { return l.conn.Publish(toHub+l.id, message) }

// Receive implements [cluster.Link].
func (l *link) Receive() <-chan []byte { return l.down }

// Flush implements [cluster.Link].
func (l *link) Flush() error { return l.conn.FlushTimeout(connectTimeout) }

// Close implements [cluster.Link].
func (l *link) Close() error {
	l.once.Do(func() {
		l.conn.Close()
		l.pump.Wait()
	})
	return nil
}
