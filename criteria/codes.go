package criteria

import (
	"path"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/metrics"
)

// codePattern is a whole-text glob (`*` any text, `?` one character) over the code of a sample: its
// status, or what Taurus and JMeter show for a transport fault, the class name of a Java exception.
// The words of our own faults (reset, connect-refused, …) match as well.
type codePattern string

func parseCodePattern(text string) codePattern { return codePattern(text) }

// javaNames are the class names under which JMeter reports what we call a fault, so that rules of
// Taurus files such as rcSocketTimeoutException and rcUnknownHost* go on to work.
func javaNames(f metrics.Fault) []string {
	switch f {
	case metrics.FaultDNS:
		return []string{"UnknownHostException"}
	case metrics.FaultConnectRefused:
		return []string{"ConnectException", "HttpHostConnectException"}
	case metrics.FaultConnectTimeout:
		return []string{"ConnectTimeoutException", "SocketTimeoutException"}
	case metrics.FaultConnect:
		return []string{"NoRouteToHostException", "BindException", "ConnectException"}
	case metrics.FaultTLS:
		return []string{"SSLException", "SSLHandshakeException", "SSLPeerUnverifiedException", "SSLProtocolException"}
	case metrics.FaultReset:
		return []string{"SocketException"}
	case metrics.FaultClosedEarly:
		return []string{"NoHttpResponseException", "ConnectionClosedException", "TruncatedChunkException", "EOFException"}
	case metrics.FaultTimeout:
		return []string{"SocketTimeoutException"}
	case metrics.FaultProtocol:
		return []string{"ClientProtocolException", "ProtocolException", "MalformedChunkCodingException"}
	case metrics.FaultTooLarge:
		return []string{"MessageConstraintException"}
	case metrics.FaultTemplate:
		return []string{"URISyntaxException", "MalformedURLException", "IllegalArgumentException"}
	}
	return nil
}

// count gives the number of finished samples whose code matches. A sample whose answer broke off
// has both a status and a fault; it counts once at most, as far as totals can tell.
func (p codePattern) count(r *metrics.Row) int64 {
	if p == "*" {
		return r.Finished
	}
	var n int64
	for status, count := range r.Codes {
		if status != 0 && p.matches(strconv.Itoa(status)) {
			n += count
		}
	}
	for f := metrics.FaultDNS; f < metrics.FaultCount; f++ {
		if r.Faults[f] > 0 && p.matchesFault(f) {
			n += r.Faults[f]
		}
	}
	return min(n, r.Finished)
}

func (p codePattern) matchesFault(f metrics.Fault) bool {
	names := javaNames(f)
	if names == nil {
		return false // answered: status, assertion and extraction have the code of the answer
	}
	if p.matches(f.String()) {
		return true
	}
	for _, name := range names {
		if p.matches(name) {
			return true
		}
	}
	return false
}

func (p codePattern) matches(text string) bool {
	ok, err := path.Match(string(p), text)
	return ok && err == nil
}

// impossible explains a pattern that no code can match, or gives "".
func (p codePattern) impossible() string {
	if strings.ContainsAny(string(p), "*?") {
		return ""
	}
	if status, err := strconv.Atoi(string(p)); err == nil {
		if status < 100 || status > 999 {
			return "a status code has three digits"
		}
		return ""
	}
	for f := metrics.FaultDNS; f < metrics.FaultCount; f++ {
		if p.matchesFault(f) {
			return ""
		}
	}
	return "neither a status code nor a fault has that name"
}

// codeWords lists what stands after rc besides status codes, for suggestions.
func codeWords() []string {
	var words []string
	for f := metrics.FaultDNS; f < metrics.FaultCount; f++ {
		if names := javaNames(f); names != nil {
			words = append(append(words, "rc"+f.String()), "rc"+names[0])
		}
	}
	return words
}

// FaultCode is the code under which Taurus' files know a fault without an answer: the class name of
// a Java exception, or our own word where there is none.
func FaultCode(f metrics.Fault) string {
	if names := javaNames(f); names != nil {
		return names[0]
	}
	return f.String()
}
