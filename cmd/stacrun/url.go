package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/stacrun/stacrun/config"
)

// The short plan for bare URLs: gentle enough for anybody's server.
const (
	urlUsers = 5
	urlHold  = "10s"
	urlRate  = 50 // requests per second at most, over all users
)

// urlDocument makes the plan that `stacrun http://…` runs.
func urlDocument(urls []string) config.Document {
	var b bytes.Buffer
	fmt.Fprintf(&b, "execution:\n- concurrency: %d\n  ramp-up: 2s\n  hold-for: %s\n  throughput: %d\n  scenario: urls\n", urlUsers, urlHold, urlRate)
	b.WriteString("scenarios:\n  urls:\n    requests:\n")
	for _, u := range urls {
		fmt.Fprintf(&b, "    - url: %s\n", quoteYAML(u))
	}
	return config.Document{Name: "(from the URLs)", Text: b.Bytes()}
}

// urlNotice is said before such a plan starts.
func urlNotice(urls []string) string {
	return fmt.Sprintf("%d users for 2s + %s, at most %d requests/s in all: %s", urlUsers, urlHold, urlRate, strings.Join(urls, " "))
}

// quoteYAML writes a single-quoted YAML string; ${ in a URL typed on the command line is literal.
func quoteYAML(s string) string {
	s = strings.ReplaceAll(s, "${", "$${")
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
