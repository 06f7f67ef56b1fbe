package wire

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// A network that is slow, cuts, stops or resets gives the right fault, in time.
func TestDo_toxicNetwork(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 10_000)
	upstream := serve(t, func(_ int, c *net.TCPConn) {
		for {
			switch head := readHead(c); {
			case head == "":
				return
			case strings.HasPrefix(head, "GET /close"):
				_, _ = io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\n0123456789")
				return
			case strings.HasPrefix(head, "GET /long"):
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"+long)
			default:
				_, _ = io.WriteString(c, okHead+"0123456789")
			}
		}
	})
	for _, tt := range []struct {
		name, toxic, path string
		limit             timeLimit
		want              Fault
		detail            string
		exchanges, body   int
		atLeast           time.Duration // from start to first byte
	}{
		{"latency", `{"type":"latency","attributes":{"latency":80}}`, "/", noLimit, NoFault, "", 1, 10, 80 * time.Millisecond},
		{"latency over the limit", `{"type":"latency","attributes":{"latency":20000}}`, "/", firstByte, FaultTimeout, "no first byte within LIMIT", 1, 0, 0},
		{"latency on the way there", `{"type":"latency","stream":"upstream","attributes":{"latency":80}}`, "/", noLimit, NoFault, "", 1, 10, 80 * time.Millisecond},
		{"reset", `{"type":"reset_peer","attributes":{"timeout":0}}`, "/", noLimit, FaultReset, "reset", 1, 0, 0},
		{"reset after a while", `{"type":"reset_peer","attributes":{"timeout":50}}`, "/", noLimit, FaultReset, "reset", 1, 0, 0},
		{"slow close of a sized answer", `{"type":"slow_close","attributes":{"delay":20000}}`, "/", noLimit, NoFault, "", 1, 10, 0},
		{"slow close of an answer that ends with it", `{"type":"slow_close","attributes":{"delay":20000}}`, "/close", total, FaultTimeout, "not complete within LIMIT", 1, 0, 0},
		{"slow close within the limit", `{"type":"slow_close","attributes":{"delay":50}}`, "/close", noLimit, NoFault, "", 1, 10, 0},
		{"cut in the body", `{"type":"limit_data","attributes":{"bytes":500}}`, "/long", noLimit, FaultClosedEarly, "of 100000 bytes", 1, 0, 0},
		{"cut in the head", `{"type":"limit_data","attributes":{"bytes":20}}`, "/", noLimit, FaultClosedEarly, "within the response head", 1, 0, 0},
		{"in slices", `{"type":"slicer","attributes":{"average_size":2000,"size_variation":1999,"delay":10}}`, "/long", noLimit, NoFault, "", 1, 100_000, 0},
		{"narrow", `{"type":"bandwidth","attributes":{"rate":10}}`, "/long", total, FaultTimeout, "not complete within LIMIT", 1, 0, 0},
		{"silent, then closed", `{"type":"timeout","attributes":{"timeout":50}}`, "/", noLimit, FaultClosedEarly, "before any byte of the response", 1, 0, 0},
		{"silent", `{"type":"timeout","attributes":{"timeout":0}}`, "/", total, FaultTimeout, "no response within LIMIT", 1, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onePath(t, func(t *testing.T, target func(string, TargetOptions) *Target) {
				proxy := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "p", "127.0.0.1:0", upstream)
				if err := proxy.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(proxy.Stop)
				if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(tt.toxic)); err != nil {
					t.Fatal(err)
				}
				tt.limit.try(t, func(limit time.Duration) (wrong []string) {
					c := Conn{Target: target(proxy.Listen, TargetOptions{})}
					defer c.Close()
					req := get(tt.path)
					detail := tt.limit.set(req, limit, tt.detail)
					var resp Response
					c.Do(req, &resp)
					if resp.Fault != tt.want || !strings.Contains(resp.Detail, detail) || resp.Exchanges != tt.exchanges {
						wrong = append(wrong, fmt.Sprintf("%q: %s, %d exchanges; want %q: %s, %d", resp.Fault, resp.Detail, resp.Exchanges, tt.want, detail, tt.exchanges))
					}
					if tt.want == NoFault && len(resp.Body) != tt.body {
						t.Errorf("body of %d bytes, want %d", len(resp.Body), tt.body)
					}
					// From the start: this process may be late to note when the request was sent.
					if waited := time.Duration(resp.Timing.FirstByte - resp.Timing.Start); waited < tt.atLeast {
						t.Errorf("first byte after %s, though the network takes %s", waited, tt.atLeast)
					}
					checkTiming(t, &resp)
					return wrong
				})
			})
		})
	}
}
