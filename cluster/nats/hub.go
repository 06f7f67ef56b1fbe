package nats

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"

	"github.com/stacrun/stacrun/cluster"
)

const (
	toHub   = "stacrun.up."   // + id of the agent
	toAgent = "stacrun.down." // + id of the agent
	toAll   = "stacrun.all"

	maxPending   = 256 << 20
	queue        = 8192 // messages that wait to be read
	startTimeout = 10 * time.Second
)

// Options of [Listen].
type Options struct {
	Address     string // host and port; port 0: any free one
	Token       string // that agents need; "": a random one
	Certificate string // PEM file with certificate and key, made when it is not there; "": one for this run, where one is needed
}

// Hub is the controller's end: a NATS server in this process, and a connection to it.
type Hub struct {
	server  *server.Server
	conn    *client.Conn
	join    Address
	own     string // token of conn
	packets chan cluster.Packet
	raw     chan *client.Msg
	pump    sync.WaitGroup
	once    sync.Once
}

var _ cluster.Hub = (*Hub)(nil)

// minToken is how many characters a token of one's own has at least.
const minToken = 12

// Listen starts the server.
func Listen(o Options) (*Hub, error) {
	host, portText, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: write host and port, such as 127.0.0.1:4222", o.Address)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %q is no port", o.Address, portText)
	}
	if o.Token == "" {
		o.Token = secret(16)
	}
	if len(o.Token) < minToken || strings.ContainsAny(o.Token, " \t\r\n") {
		return nil, fmt.Errorf("the token for agents has %d characters at least and no spaces", minToken)
	}
	h := &Hub{
		join: Address{Host: o.Address, Token: o.Token}, own: secret(16), packets: make(chan cluster.Packet, queue), raw: make(chan *client.Msg, queue),
	}
	opts := &server.Options{
		ServerName: "stacrun", Host: host, Port: int(port), CustomClientAuthentication: &door{o.Token, h.own}, MaxPayload: cluster.MaxMessage, MaxPending: maxPending,
		NoLog: true, NoSigs: true, DisableShortFirstPing: true, PingInterval: 5 * time.Second, MaxPingsOut: 3, WriteDeadline: 10 * time.Second,
	}
	if port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	if o.Certificate != "" || !isLoopback(host) {
		if err := h.encrypt(opts, o.Certificate); err != nil {
			return nil, err
		}
	}
	if err := taken(o.Address, port); err != nil {
		return nil, err
	}
	if h.server, err = server.NewServer(opts); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", o.Address, err)
	}
	h.server.Start()
	if !h.server.ReadyForConnections(startTimeout) {
		h.server.Shutdown()
		return nil, fmt.Errorf("listen on %s: the server did not start", o.Address)
	}
	h.join.Host = net.JoinHostPort(reachable(host), strconv.Itoa(h.server.Addr().(*net.TCPAddr).Port))
	if err := h.connect(); err != nil {
		h.server.Shutdown()
		return nil, err
	}
	return h, nil
}

// encrypt has the server speak TLS only.
func (h *Hub) encrypt(opts *server.Options, file string) (err error) {
	var certificate tls.Certificate
	if file != "" {
		certificate, h.join.Fingerprint, err = certificateIn(file, time.Now())
	} else {
		certificate, h.join.Fingerprint, err = newCertificate(time.Now())
	}
	opts.TLS, opts.TLSTimeout = true, 5
	opts.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13}
	return err
}

// taken tries the address first: the server would end the process over one that is in use.
func taken(address string, port uint64) error {
	if port == 0 {
		return nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen for agents: %w", err)
	}
	return l.Close()
}

// reachable is the host that agents are told: an address that stands for all of the machine's is replaced by one of them.
func reachable(host string) string {
	if host != "" && host != "0.0.0.0" && host != "::" {
		return host
	}
	addresses, _ := net.InterfaceAddrs() // none are known then
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	return "127.0.0.1"
}

func (h *Hub) connect() (err error) {
	options := []client.Option{
		client.InProcessServer(h.server), client.Token(h.own), client.Name("controller"), client.MaxReconnects(-1), client.ReconnectWait(100 * time.Millisecond),
		client.ErrorHandler(unheard),
	}
	if h.join.Fingerprint != "" {
		options = append(options, client.Secure(known(h.join.Fingerprint)))
	}
	if h.conn, err = client.Connect("", options...); err != nil {
		return fmt.Errorf("connect to the bus: %w", err)
	}
	if _, err = h.conn.ChanSubscribe(toHub+"*", h.raw); err == nil {
		err = h.conn.Flush()
	}
	if err != nil {
		h.conn.Close()
		return fmt.Errorf("listen to the bus: %w", err)
	}
	h.pump.Go(func() {
		defer close(h.packets)
		for m := range h.raw {
			h.packets <- cluster.Packet{From: strings.TrimPrefix(m.Subject, toHub), Message: m.Data}
		}
	})
	return nil
}

// unheard is told of messages that were too many to be kept. What they said is asked for again; the client would write of it on the terminal.
func unheard(*client.Conn, *client.Subscription, error) {}

// Join is the address that agents join.
func (h *Hub) Join() Address { return h.join }

// Send implements [cluster.Hub].
func (h *Hub) Send(to string, message []byte) error {
	subject := toAll
	if to != "" {
		subject = toAgent + to
	}
	return h.conn.Publish(subject, message)
}

// Receive implements [cluster.Hub].
func (h *Hub) Receive() <-chan cluster.Packet { return h.packets }

// Close sends what is still on its way and stops the server.
func (h *Hub) Close() (err error) {
	h.once.Do(func() {
		if flush := h.conn.FlushTimeout(time.Second); flush != nil && !errors.Is(flush, client.ErrConnectionClosed) {
			err = fmt.Errorf("close the bus: %w", flush)
		}
		h.conn.Close()
		close(h.raw)
		go func() {
			for range h.packets { //nolint:revive // whoever read them has gone
			}
		}()
		h.pump.Wait()
		h.server.Shutdown()
		h.server.WaitForShutdown()
	})
	return err
}
