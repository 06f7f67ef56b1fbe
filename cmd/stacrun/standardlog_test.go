package main

import (
	"log"
	"strings"
	"testing"
)

func TestStandardLog(t *testing.T) {
	var out strings.Builder
	l := log.New(standardLog{&out}, "", 0)
	l.Print(`Unsolicited response received on idle HTTP channel starting with "45"; err=<nil>`)
	l.Print("http: panic serving 127.0.0.1")
	if out.String() != "http: panic serving 127.0.0.1\n" {
		t.Errorf("%q", out.String())
	}
}
