package main

import (
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

	"github.com/google/go-cmp/cmp"
)

// tmux is a terminal of a size, with a shell in it.
type tmux struct {
	t      *testing.T
	socket string
}

func openTerminal(t *testing.T, columns, rows int, dir string) *tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("STACRUN_REQUIRE_TOOLS") == "1" {
			t.Fatal("tmux is missing, and STACRUN_REQUIRE_TOOLS=1 asks for it: apt-get install tmux")
		}
		t.Skip("needs tmux: apt-get install tmux")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test is the command when it goes by that name.
	if err := os.Symlink(self, filepath.Join(dir, "stacrun")); err != nil {
		t.Fatal(err)
	}
	x := &tmux{t: t, socket: filepath.Join(t.TempDir(), "tmux")}
	command := exec.Command("tmux", "-S", x.socket, "-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), "-c", dir, "sh")
	command.Env = append(os.Environ(), "PS1=$ ", "LC_ALL=C.UTF-8", "CI=", "GITHUB_ACTIONS=", "GITLAB_CI=", "NO_COLOR=", "TMUX=")
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, text)
	}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", x.socket, "kill-server").Run() })
	return x
}

func (x *tmux) do(args ...string) string {
	x.t.Helper()
	text, err := exec.Command("tmux", append([]string{"-u", "-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %v: %v: %s", args, err, text)
	}
	return string(text)
}

func (x *tmux) keys(keys ...string) { x.do(append([]string{"send-keys"}, keys...)...) }

// child is the process of the command that the shell runs.
func (x *tmux) child() string {
	x.t.Helper()
	shell := strings.TrimSpace(x.do("list-panes", "-F", "#{pane_pid}"))
	children, err := os.ReadFile("/proc/" + shell + "/task/" + shell + "/children")
	fields := strings.Fields(string(children))
	if err != nil || len(fields) != 1 {
		x.t.Fatalf("children of the shell: %q, %v", children, err)
	}
	return fields[0]
}

func (x *tmux) signal(name, pid string) {
	x.t.Helper()
	if text, err := exec.Command("kill", name, pid).CombinedOutput(); err != nil {
		x.t.Fatalf("kill: %v: %s", err, text)
	}
}

// until waits for a screen that matches, the scroll-back included.
func (x *tmux) until(pattern string) string {
	x.t.Helper()
	wanted := regexp.MustCompile(pattern)
	screen := ""
	for range 2400 { // two minutes
		screen = x.do("capture-pane", "-p", "-J", "-S", "-")
		if wanted.MatchString(screen) {
			return screen
		}
		time.Sleep(50 * time.Millisecond)
	}
	x.t.Fatalf("no screen ever matched %s; the last one:\n%s", pattern, screen)
	return ""
}

var (
	figures = regexp.MustCompile(`\d[\d,.:]*(/\d[\d:]*|/s)?(ns|µs|ms|s|m|%|KiB|MiB|GiB|B)?`)
	cells   = regexp.MustCompile(`[█░▁▂▃▄▅▆▇]+`)
	chart   = regexp.MustCompile(`^█[█ ]*$`) // an upper line of one, which depends on the figures
	level   = regexp.MustCompile(`pN +N`)
	spaces  = regexp.MustCompile(`[ ─]{2,}`)
)

// structure is what stays of a screen when figures, charts and widths do not count.
func structure(screen string) string {
	screen = cells.ReplaceAllString(figures.ReplaceAllString(screen, "N"), "█")
	var lines []string
	for line := range strings.Lines(screen) {
		line = strings.TrimSpace(spaces.ReplaceAllString(level.ReplaceAllString(line, "pN N"), "  "))
		if chart.MatchString(line) {
			continue
		}
		line, _, _ = strings.Cut(line, "  bottleneck: ") // a busy machine says so
		if words := strings.Fields(line); strings.HasSuffix(line, "…") && len(words) > 2 {
			line = words[0] + " " + words[1] + " …" // where it was cut depends on the figures
		}
		if strings.HasPrefix(line, "run  N") {
			lines = nil // what stands above is the shell's
		}
		lines = append(lines, line)
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "terminal", name)
	if *updatePlans {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// watchedRun writes a file of a run that ends after hold, into dir.
func watchedRun(t *testing.T, dir, hold string) {
	t.Helper()
	var count atomic.Int64
	target := httptest.NewServer(testHandler(&count))
	t.Cleanup(target.Close)
	file := fmt.Sprintf(`
execution: {concurrency: 4, hold-for: %s, scenario: search}
scenarios:
  search:
    default-address: %s
    requests:
    - {url: /delay/20, label: GET /search}
    - {url: /delay/21, label: GET /collections}
    - {url: /status/404, label: GET /missing}
reporting:
- module: passfail
  criteria: ['p95 of GET /search>20s for 10s', 'fail>90%%']
`, hold, target.URL)
	if err := os.WriteFile(filepath.Join(dir, "run.yml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
}

// asBefore looks whether the terminal's mode is what it was: both files hold what stty said.
func asBefore(t *testing.T, dir string, changed ...string) {
	t.Helper()
	before, err := os.ReadFile(filepath.Join(dir, "before.txt"))
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(dir, "after.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), strings.NewReplacer(changed...).Replace(string(after))); diff != "" {
		t.Errorf("the terminal is not as it was:\n%s", diff)
	}
}

// runBetween runs the command, and notes the terminal's mode before and after it.
const runBetween = "stty -a >before.txt; %s; echo \"ended with $?\"; stty -a >after.txt; echo done"

// TestTerminal looks at the live view in terminals of three sizes, presses its keys, and sees what is left in the scroll-back.
func TestTerminal(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {100, 30}, {200, 60}} {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			watchedRun(t, dir, "9m")
			x := openTerminal(t, size[0], size[1], dir)
			x.keys(fmt.Sprintf(runBetween, "./stacrun run.yml --artifacts out"), "Enter")
			x.until(`last ([3-9]|10)s(.|\n)*q stop`)
			golden(t, name+".txt", structure(x.do("capture-pane", "-p")))
			x.keys("Tab")
			x.until(`label +count(.|\n)*tab criteria`)
			if size[0] >= 100 {
				golden(t, name+"-labels.txt", structure(x.do("capture-pane", "-p")))
			}
			x.keys("?")
			x.until(`back to the shell`)
			x.keys("?", "+")
			x.until(`5 users`)
			x.keys("p")
			x.until(`p resume`)
			x.keys("p")
			x.do("resize-window", "-x", "120", "-y", "40")
			x.until(`p pause`)
			x.keys("q")
			screen := x.until(`(?m)^done$`)
			for _, want := range []string{"running run: search", "ended with 2", "GET /missing", "stopped by the key q"} {
				if !strings.Contains(screen, want) {
					t.Errorf("no %q in the scroll-back:\n%s", want, screen)
				}
			}
			if strings.Contains(screen, "q stop") {
				t.Errorf("the live view is still there:\n%s", screen)
			}
			asBefore(t, dir, "rows 40; columns 120", fmt.Sprintf("rows %d; columns %d", size[1], size[0]))
		})
	}
}

// TestTerminalInterrupted ends runs under a live view from outside.
func TestTerminalInterrupted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, command string
		interrupt     func(*tmux, string)
		want          string
	}{
		{
			name: "Ctrl-C", want: "INTERRUPTED: interrupted by Ctrl-C",
			interrupt: func(x *tmux, _ string) { x.keys("C-c") },
		},
		{ // a request of nine minutes is under way: gracefully, it would not end
			name: "Ctrl-C twice", command: " -o scenarios.search.requests.0.url=/delay/540000", want: "INTERRUPTED: interrupted by Ctrl-C",
			interrupt: func(x *tmux, _ string) {
				x.keys("C-c")
				x.until(`press Ctrl-C again`)
				x.keys("C-c")
			},
		},
		{ // a service does not end
			name: "Ctrl-C three times", command: " -o services.0.module=shellexec -o services.0.shutdown.0='sleep 50'", want: "ended with 2",
			interrupt: func(x *tmux, _ string) {
				x.keys("C-c", "C-c")
				x.until(`stopping at once`)
				x.keys("C-c")
			},
		},
		{
			name: "SIGTERM", want: "INTERRUPTED: interrupted by SIGTERM",
			interrupt: func(x *tmux, pid string) { x.signal("-TERM", pid) },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			watchedRun(t, dir, "9m")
			x := openTerminal(t, 100, 30, dir)
			x.keys(fmt.Sprintf(runBetween, "./stacrun run.yml --artifacts out"+tt.command), "Enter")
			x.until(`last [0-9]+s(.|\n)*q stop`)
			tt.interrupt(x, x.child())
			screen := x.until(`(?m)^done$`)
			if !strings.Contains(screen, tt.want) || !strings.Contains(screen, "ended with 2") || strings.Contains(screen, "q stop") {
				t.Errorf("no %q, or not 2, or the view is still there:\n%s", tt.want, screen)
			}
			asBefore(t, dir)
		})
	}
}

// TestTerminalStopped stops a run as shells do, continues it in the background, fetches it back, and lets it end in the background.
func TestTerminalStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	watchedRun(t, dir, "9m")
	if _, err := exec.LookPath("bash"); err != nil {
		if os.Getenv("STACRUN_REQUIRE_TOOLS") == "1" {
			t.Fatal("bash is missing, and STACRUN_REQUIRE_TOOLS=1 asks for it")
		}
		t.Skip("needs bash: other shells leave the mode of the terminal to their jobs")
	}
	x := openTerminal(t, 100, 30, dir)
	x.keys("exec bash --norc --noprofile", "Enter")
	x.until(`bash`)
	x.keys("stty -a >before.txt; ./stacrun run.yml --artifacts out", "Enter")
	x.until(`last [0-9]+s(.|\n)*q stop`)
	pid := x.child()
	x.keys("C-z")
	x.until(`(?i)stopped`)
	x.keys("stty -a >after.txt; echo in the $((1+1))nd shell", "Enter")
	if screen := x.until(`in the 2nd shell`); strings.Contains(screen, "q stop") {
		t.Errorf("the view is still there:\n%s", screen)
	}
	asBefore(t, dir)
	x.keys("fg", "Enter")
	x.until(`last [0-9]+s(.|\n)*q stop`)

	x.signal("-TSTP", pid) // by somebody else
	x.until(`(?i)stopped`)
	x.keys("bg", "Enter")
	x.keys("echo the $((2+1))rd", "Enter")
	x.until(`the 3rd`)
	x.keys("fg", "Enter") // a shell says nothing to a job that was running
	x.until(`last [0-9]+s(.|\n)*q stop`)
	x.keys("p") // keys are read again
	x.until(`p resume`)
	x.keys("p")
	x.until(`p pause`)

	x.signal("-STOP", pid) // without a warning: the shell puts its own mode back
	x.until(`(?i)stopped`)
	x.keys("fg", "Enter")
	x.keys("p")
	x.until(`p resume`)
	x.keys("C-z")
	x.until(`(Stopped(.|\n)*){3}`)
	x.keys("bg; echo the $((3+1))th", "Enter")
	x.until(`the 4th`)
	x.signal("-TERM", pid)
	x.until(`INTERRUPTED`)
	x.keys("", "Enter")
	x.keys("stty -a >after.txt; echo the $((4+1))th", "Enter")
	if screen := x.until(`the 5th`); strings.Contains(screen, "tty output") {
		t.Errorf("stopped in the background:\n%s", screen)
	}
	asBefore(t, dir)
}

// TestQuestionInterrupted presses Ctrl-C where a study asks whether it may create its sample: it is no answer.
func TestQuestionInterrupted(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	x := openTerminal(t, 200, 30, dir)
	x.keys(fmt.Sprintf(runBetween, "./stacrun benchmark --artifacts out --api-address "+server.URL), "Enter")
	x.until(`\[Y/n\]`)
	x.keys("C-c")
	if screen := x.until(`(?m)^done$`); !strings.Contains(screen, "interrupted before the first run") || !strings.Contains(screen, "ended with 2") {
		t.Errorf("it is not told as an interruption:\n%s", screen)
	}
	asBefore(t, dir)
}

// TestNoLiveView runs where nobody sits at a terminal, or a poor one: progress is plain lines.
func TestNoLiveView(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"dumb": "TERM=dumb ./stacrun run.yml", "CI": "CI=true ./stacrun run.yml", "no stdin": "./stacrun run.yml </dev/null",
		"no stdout": "./stacrun run.yml | cat", "verbose": "./stacrun -v run.yml", "background": "./stacrun run.yml",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			watchedRun(t, dir, "2s")
			x := openTerminal(t, 120, 40, dir)
			command = strings.Replace(command, "run.yml", "run.yml --artifacts out", 1)
			if name == "background" {
				command += " & wait"
			}
			x.keys(fmt.Sprintf(runBetween, command), "Enter")
			screen := x.until(`(?m)^done$`)
			if !regexp.MustCompile(`00:0\d/00:02  .* p95`).MatchString(screen) {
				t.Errorf("no plain line:\n%s", screen)
			}
			asBefore(t, dir)
		})
	}
}

// TestNoColour looks at the colours of the live view, and that NO_COLOR leaves them out.
func TestNoColour(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]string{"colour": "", "none": "NO_COLOR=1 "} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			watchedRun(t, dir, "9m")
			x := openTerminal(t, 100, 30, dir)
			x.keys(env+"./stacrun run.yml --artifacts out", "Enter")
			x.until(`last [0-9]+s(.|\n)*GET /missing(.|\n)*q stop`)
			if got, want := strings.Contains(x.do("capture-pane", "-p", "-e"), "\x1b[31m"), env == ""; got != want {
				t.Errorf("red: %v, want %v", got, want)
			}
			x.keys("q")
			x.until(`INTERRUPTED`)
		})
	}
}
