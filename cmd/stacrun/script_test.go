package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"github.com/stacrun/stacrun/stac"
	"github.com/stacrun/stacrun/stac/api"
	"github.com/stacrun/stacrun/stac/item"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stacrun": main})
}

// TestScripts runs testdata/script/*.txtar: each is a behaviour of the command, written like a page of
// the manual. $BASE is a server of the test, $STAC an embedded STAC API with 100 items, and $DOWN an
// address where nothing listens; $STACRUN is the path of the program. Besides the commands of testscript there are:
//
//	waitfor FILE REGEXP      until the file matches
//	waitsize FILE BYTES      until the file has at least that many
//	json FILE PATH VALUE     the value at a gjson path; PATH may be an arithmetic sum "a + b"
//	closedout COMMAND…       runs a command whose stdout is closed; its stderr becomes the file stderr.txt
//	closederr COMMAND…       runs a command whose stderr is closed; its stdout becomes the file stdout.txt, its exit code the file code.txt
//	tmpfs DIR BYTES          mounts a small file system (condition [tmpfs]: it can be)
//	requests N               the server has received exactly N requests
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"waitfor": waitFor, "closedout": closedOut, "closederr": closedErr, "tmpfs": mountTmpfs, "waitsize": waitSize, "json": checkJSON, "requests": checkRequests,
		},
	})
}

type countKey struct{}

func setup(env *testscript.Env) error {
	var count atomic.Int64
	base := httptest.NewServer(testHandler(&count))
	env.Defer(base.Close)

	store := api.NewMemory()
	if err := stac.Fill(context.Background(), store, stac.Generated(item.DefaultSeed, "", 100), ""); err != nil {
		return err
	}
	stacServer := httptest.NewServer(api.New(store, api.Options{}))
	env.Defer(stacServer.Close)

	down := httptest.NewServer(nil)
	down.Close()
	env.Values[countKey{}] = &count
	env.Setenv("BASE", base.URL)
	env.Setenv("BASE_NAME", strings.NewReplacer("http://", "", ":", "-").Replace(base.URL)) // in names of folders
	env.Setenv("STAC", stacServer.URL)
	env.Setenv("DOWN", down.URL)
	env.Setenv("CI", "")
	env.Setenv("NO_COLOR", "")
	root, err := filepath.Abs("../..")
	env.Setenv("ROOT", root)
	if program, err := exec.LookPath("stacrun"); err == nil { // where testscript put it
		env.Setenv("STACRUN", program)
	}
	return err
}

// testHandler answers /status/N with that status, /delay/MS after that time, /json with a document, /cookie with 201 and
// a cookie, or 200 to who has it, and everything else with "ok".
func testHandler(count *atomic.Int64) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.PathValue("code"))
		w.WriteHeader(code)
	})
	mux.HandleFunc("/delay/{ms}", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.PathValue("ms"))
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-r.Context().Done():
		}
		fmt.Fprintln(w, "late")
	})
	mux.HandleFunc("/cookie", func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("visitor"); err != nil {
			http.SetCookie(w, &http.Cookie{Name: "visitor", Value: "1", Path: "/"})
			w.WriteHeader(http.StatusCreated)
		}
	})
	mux.HandleFunc("/json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"token": "s3cr3t-token", "items": [{"id": "a"}, {"id": "b"}], "count": 2}`)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		mux.ServeHTTP(w, r)
	})
}

func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitfor FILE REGEXP")
	}
	pattern := regexp.MustCompile(args[1])
	var text []byte
	for range 2400 { // two minutes
		text, _ = os.ReadFile(ts.MkAbs(args[0]))
		if pattern.Match(text) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%s never matched %s:\n%s", args[0], args[1], text)
}

func waitSize(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.ParseInt(args[len(args)-1], 10, 64)
	if neg || len(args) != 2 || err != nil {
		ts.Fatalf("usage: waitsize FILE BYTES")
	}
	for range 2400 { // two minutes
		if info, err := os.Stat(ts.MkAbs(args[0])); err == nil && info.Size() >= want {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("%s never had %d bytes", args[0], want)
}

func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: json FILE PATH VALUE")
	}
	document := ts.ReadFile(args[0])
	if !gjson.Valid(document) {
		ts.Fatalf("%s is not JSON:\n%s", args[0], document)
	}
	path, want := strings.Join(args[1:len(args)-1], " "), args[len(args)-1]
	got := evaluate(document, path)
	if strings.HasPrefix(want, "=") {
		want = evaluate(document, want[1:])
	}
	if (got == want) == neg {
		ts.Fatalf("%s: %s is %s, want %s%s", args[0], path, got, map[bool]string{true: "not "}[neg], want)
	}
}

// evaluate gives the value at a path, or the sum of several joined by " + ".
func evaluate(document, path string) string {
	terms := strings.Split(path, " + ")
	if len(terms) == 1 {
		return gjson.Get(document, strings.TrimSpace(path)).String()
	}
	sum := int64(0)
	for _, term := range terms {
		sum += gjson.Get(document, strings.TrimSpace(term)).Int()
	}
	return strconv.FormatInt(sum, 10)
}

// condition knows [tmpfs]: small file systems can be mounted here.
func condition(name string) (bool, error) {
	if name != "tmpfs" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	dir, err := os.MkdirTemp("", "stacrun-mount-")
	if err != nil {
		return false, err
	}
	defer os.Remove(dir)
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).Run() != nil {
		return false, nil
	}
	return true, exec.Command("umount", dir).Run()
}

func mountTmpfs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tmpfs DIR BYTES")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(exec.Command("mount", "-t", "tmpfs", "-o", "size="+args[1], "tmpfs", dir).Run())
	ts.Defer(func() { _ = exec.Command("umount", dir).Run() })
}

func closedOut(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: closedout COMMAND…")
	}
	read, write, err := os.Pipe()
	ts.Check(err)
	ts.Check(read.Close())
	defer write.Close()
	messages, err := os.Create(ts.MkAbs("stderr.txt"))
	ts.Check(err)
	defer messages.Close()
	path, err := lookPath(ts, args[0])
	ts.Check(err)
	command := exec.Command(path, args[1:]...)
	command.Dir, command.Stdout, command.Stderr = ts.MkAbs("."), write, messages
	if err := command.Run(); (err == nil) == neg {
		ts.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, ts.ReadFile("stderr.txt"))
	}
}

func closedErr(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: closederr COMMAND…")
	}
	read, write, err := os.Pipe()
	ts.Check(err)
	ts.Check(read.Close())
	defer write.Close()
	results, err := os.Create(ts.MkAbs("stdout.txt"))
	ts.Check(err)
	defer results.Close()
	path, err := lookPath(ts, args[0])
	ts.Check(err)
	command := exec.Command(path, args[1:]...)
	command.Dir, command.Stdout, command.Stderr = ts.MkAbs("."), results, write
	if err := command.Run(); (err == nil) == neg {
		ts.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, ts.ReadFile("stdout.txt"))
	}
	ts.Check(os.WriteFile(ts.MkAbs("code.txt"), []byte(strconv.Itoa(command.ProcessState.ExitCode())+"\n"), 0o644))
}

// lookPath finds a command in the script's PATH.
func lookPath(ts *testscript.TestScript, name string) (string, error) {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, name); exec.Command("test", "-x", path).Run() == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: not in PATH", name)
}

func checkRequests(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: requests N")
	}
	got := ts.Value(countKey{}).(*atomic.Int64).Load()
	if (strconv.FormatInt(got, 10) == args[0]) == neg {
		ts.Fatalf("the server has received %d requests, want %s", got, args[0])
	}
}
