package statsd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/outlet"
	"github.com/stacrun/stacrun/reporters/report"
)

// DefaultAddress is where a server on this machine listens.
const DefaultAddress = "127.0.0.1:8125"

// Options of statsd.
type Options struct {
	Address string            // host:port
	Prefix  string            // of every name; "": stacrun
	Dog     bool              // tags as DogStatsD has them
	Tags    map[string]string // added to every metric, with Dog
}

// StatsD sends each second as it comes.
type StatsD struct {
	options Options
	queue   *outlet.Queue[*metrics.Interval]
}

var _ report.Sender = (*StatsD)(nil)

// New makes the reporter.
func New(o Options) *StatsD {
	if o.Prefix == "" {
		o.Prefix = "stacrun"
	}
	o.Prefix = strings.Trim(o.Prefix, ".")
	return &StatsD{options: o}
}

// Begin starts the goroutine that sends.
func (s *StatsD) Begin(run report.Run) error {
	// One second per attempt, so that what UDP tells of one is not counted for others.
	s.queue = outlet.Start(outlet.Options{Name: "statsd at " + s.options.Address, Batch: 1, Dying: run.Dying}, s.deliver)
	return nil
}

// Observe adds a second.
func (s *StatsD) Observe(iv *metrics.Interval, _ *metrics.Snapshot, _ []criteria.Verdict) error {
	s.queue.Put(iv)
	return nil
}

// End sends what is left.
func (s *StatsD) End(o *report.Outcome) error {
	if notice := s.queue.Close(); notice != "" {
		o.Notices = append(o.Notices, notice)
	}
	return nil
}

// Hurry implements report.Sender.
func (s *StatsD) Hurry() { s.queue.Hurry() }

// packetSize fits into one Ethernet frame.
const packetSize = 1432

func (s *StatsD) deliver(ctx context.Context, intervals []*metrics.Interval) error {
	conn, err := new(net.Dialer).DialContext(ctx, "udp", s.options.Address)
	if err != nil {
		return outlet.Cause(err)
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetWriteDeadline(deadline) // a socket that was just made takes one
	}
	for _, iv := range intervals {
		lost, sent := 0, 0
		for _, packet := range packets(s.lines(iv)) {
			sent++
			if _, failed := conn.Write(packet); failed != nil {
				lost, err = lost+1, failed
			}
		}
		if lost > 0 {
			return outlet.Permanent(fmt.Errorf("%d of %d packets of a second: %w", lost, sent, outlet.Cause(err)))
		}
	}
	// A port that nobody listens on is told a moment later, if at all.
	return refusal(conn)
}

// refusal waits a moment for word that nobody listens.
func refusal(conn net.Conn) error {
	_ = conn.SetReadDeadline(time.Now().Add(refusalWait))
	var none [1]byte
	_, err := conn.Read(none[:])
	var timeout net.Error
	if err == nil || errors.As(err, &timeout) && timeout.Timeout() {
		return nil
	}
	return outlet.Permanent(outlet.Cause(err))
}

const refusalWait = 5 * time.Millisecond

// packets puts lines together.
func packets(lines []string) (list [][]byte) {
	var packet []byte
	for _, line := range lines {
		if len(packet) > 0 && len(packet)+len(line)+1 > packetSize {
			list, packet = append(list, packet), nil
		}
		if len(packet) > 0 {
			packet = append(packet, '\n')
		}
		packet = append(packet, line...)
	}
	if len(packet) > 0 {
		list = append(list, packet)
	}
	return list
}
