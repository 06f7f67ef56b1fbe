package engine

import (
	"fmt"
	"strings"
	"time"
)

// ends says in words what ends the execution.
func (x *execution) ends() string {
	p := &x.load
	var ends []string
	if d, ok := p.shape.Duration(); ok && p.timed {
		switch {
		case len(p.written.Stages) > 0:
			ends = append(ends, fmt.Sprintf("after %s (%s)", short(d), plural(len(p.written.Stages), "stage")))
		case p.rampUp > 0 && p.holdFor > 0:
			ends = append(ends, fmt.Sprintf("after %s (ramp-up %s, hold-for %s)", short(d), short(p.rampUp), short(p.holdFor)))
		case p.rampUp > 0:
			ends = append(ends, fmt.Sprintf("after %s (ramp-up only)", short(d)))
		default:
			ends = append(ends, "after "+short(d))
		}
	}
	if p.iterations > 0 {
		ends = append(ends, fmt.Sprintf("when each of %s has done %s", plural(p.users, "user"), plural(int(p.iterations), "iteration")))
	}
	if p.total > 0 {
		ends = append(ends, fmt.Sprintf("when %s are done by all users together", plural(int(p.total), "iteration")))
	}
	if p.requests > 0 {
		ends = append(ends, fmt.Sprintf("when %s are done by all users together", plural(int(p.requests), "request")))
	}
	for _, s := range x.sources {
		if !s.written.Loop {
			ends = append(ends, fmt.Sprintf("when the rows of %s are used up", s.name))
		}
	}
	text := "only when it is stopped"
	switch len(ends) {
	case 0:
	case 1:
		text = ends[0]
	default:
		text = strings.Join(ends, ", or ") + ", whichever comes first"
	}
	if !x.startAt.IsZero() {
		text += "; it does not begin before " + x.startAt.Format(time.DateTime)
	}
	return text
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// short writes a duration without zero parts: 90s is 1m30s, 1m0s is 1m.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
