package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The plan for JMeter is XML and asks for the work of the job.
func TestJMeterPlan(t *testing.T) {
	read := func(j job) map[string]string {
		t.Helper()
		plan, err := jmeterPlan(j)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		var name string
		for d := xml.NewDecoder(strings.NewReader(plan)); ; {
			token, err := d.Token()
			if err == io.EOF {
				return got
			}
			if err != nil {
				t.Fatal(err)
			}
			switch x := token.(type) {
			case xml.StartElement:
				name = ""
				for _, a := range x.Attr {
					if a.Name.Local == "name" && strings.HasSuffix(x.Name.Local, "Prop") {
						name = a.Value[strings.LastIndexByte(a.Value, '.')+1:]
					}
				}
			case xml.CharData:
				if text := strings.TrimSpace(string(x)); text != "" && name != "" {
					got[name] = text
				}
			}
		}
	}
	j := job{users: 10, requests: 1000, url: "https://127.0.0.1:8443/items/1?a=1&b=<2>", dir: t.TempDir()}
	want := map[string]string{
		"num_threads": "10", "loops": "100", "continue_forever": "false", "ramp_time": "0", "same_user_on_next_iteration": "true", "on_sample_error": "continue",
		"protocol": "https", "domain": "127.0.0.1", "port": "8443", "path": "/items/1?a=1&b=<2>", "method": "GET", "use_keepalive": "true", "postBodyRaw": "false",
	}
	if diff := cmp.Diff(want, read(j)); diff != "" {
		t.Error(diff)
	}
	j.work = workload{Body: func() []byte { return []byte("x") }, Close: true}
	got := read(j)
	if got["method"] != "POST" || got["use_keepalive"] != "false" || !strings.HasPrefix(got["path"], j.dir) || got["mimetype"] != "application/octet-stream" {
		t.Error(got)
	}
	if _, err := jmeterArgs(job{users: 10, requests: 5}); err != errCannot {
		t.Errorf("less than a request per user: %v", err)
	}
}
