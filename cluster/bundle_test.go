package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine"
)

// TestAgentsNeedNoFiles makes a plan from what was recorded, with everything that it was read from removed.
func TestAgentsNeedNoFiles(t *testing.T) {
	server := newTarget(t)
	name := document(t,
		"run.yml", fmt.Sprintf(`
included-configs: [parts/more.yml]
execution: [{concurrency: 2, iterations: 2, scenario: s}]
scenarios:
  s:
    default-address: %q
    requests: [{url: "/${WHO}/${__FileToString(parts/text.txt)}/${__env(OTHER)}", method: POST, body-file: "bodies/${__iterationNum}.json"}]
`, server.URL),
		"parts/more.yml", "settings: {env: {WHO: $THE_NAME}}\n", "parts/text.txt", "text", "bodies/1.json", "one", "bodies/2.json", "two", "bodies/readme.txt", "no body")
	env := map[string]string{"THE_NAME": "me", "OTHER": "x", "SECRET": "not asked for"}
	options := config.Options{Overrides: []string{"settings.seed=3"}, Getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	b, list := Pack(t.Context(), []string{name}, options, engine.Options{}, 3)
	if list.HasErrors() {
		t.Fatal(list)
	}
	for file := range b.Files {
		if strings.HasSuffix(file, "readme.txt") {
			t.Errorf("%s is sent", file)
		}
	}
	if _, asked := b.Env["SECRET"]; asked {
		t.Error("a variable is sent that nobody asked for")
	}
	if err := os.RemoveAll(filepath.Dir(name)); err != nil {
		t.Fatal(err)
	}
	sent, err := unmarshalBundle(b.marshal())
	if err != nil {
		t.Fatal(err)
	}
	if len(sent.missing()) != 5 {
		t.Errorf("%d files are to be sent, want 5", len(sent.missing()))
	}
	sent.contents = b.contents
	plan, digest, err := sent.unpack(context.Background(), engine.Options{}, engine.Share{})
	if err != nil {
		t.Fatal(err)
	}
	if digest != b.Digest || plan.Seed() != 3 {
		t.Errorf("digest %s, seed %d", digest, plan.Seed())
	}
	out, err := engine.New(plan, engine.RunOptions{}).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range out {
	}
	if got := strings.Join(server.take(), ", "); got != "POST /me/text/x one, POST /me/text/x one, POST /me/text/x two, POST /me/text/x two" {
		t.Errorf("sent: %s", got)
	}
}

// TestFilesThatAreNotSent is told where the document names them.
func TestFilesThatAreNotSent(t *testing.T) {
	name := document(t, "run.yml", `
execution: [{iterations: 1, scenario: s}]
scenarios:
  s:
    default-address: http://127.0.0.1:1
    data-sources:
    - path: rows.csv
    requests: [{url: "/${id}"}]
`, "rows.csv", "id\n"+strings.Repeat("1\n", MaxFile/2))
	_, list := Pack(t.Context(), []string{name}, config.Options{}, engine.Options{}, 1)
	if len(list) != 1 || !strings.HasPrefix(list[0].Error(), name+":7:13: ") || !strings.Contains(list[0].Message, "is 64 MB large, and agents are sent files up to 64 MB") {
		t.Errorf("%v", list)
	}
	name = document(t, "run.yml", `
execution: [{iterations: 1, scenario: s}]
scenarios: {s: {default-address: "http://127.0.0.1:1", requests: [{url: /, method: POST, body-file: "bodies/${__iterationNum}.json"}]}}
`)
	_, list = Pack(t.Context(), []string{name}, config.Options{}, engine.Options{}, 1)
	if len(list) != 1 || !strings.Contains(list[0].Message, "but there are none") {
		t.Errorf("%v", list)
	}
}

// TestLargeFilesComeInPieces sends a file that takes several messages.
func TestLargeFilesComeInPieces(t *testing.T) {
	server := newTarget(t)
	body := bytes.Repeat([]byte("0123456789abcdef"), pieceSize/5)
	name := document(t, "run.yml", fmt.Sprintf(`
execution: [{concurrency: 2, iterations: 1, scenario: s}]
scenarios: {s: {default-address: %q, requests: [{url: /, method: POST, body-file: body.bin}]}}
`, server.URL), "body.bin", string(body))
	c := newCrew(t, 2, Options{})
	finish(t, c.begin(t, name))
	want := "POST / " + string(body)
	got := server.take()
	if len(got) != 2 || got[0] != want || got[1] != want {
		t.Errorf("%d requests, of %d bytes each", len(got), len(body))
	}
}

// TestBrokenMessages are refused, not obeyed.
func TestBrokenMessages(t *testing.T) {
	good := message(kindTick, tick{Sequence: 3}, []byte("data"))
	r, err := parse(good)
	if err != nil || read[tick](r).Sequence != 3 || string(r.data) != "data" {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, bad := range [][]byte{nil, {0xff}, {5, '{'}, append([]byte{2}, "xx"...)} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if _, err := unmarshalBundle([]byte("{")); err == nil {
		t.Error("half a plan was taken")
	}
}
