package main

import (
	"fmt"
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

// until waits for a screen that matches, the scroll-back included.
func (x *tmux) until(pattern string) string {
	x.t.Helper()
	wanted := regexp.MustCompile(pattern)
	screen := ""
	for range 600 {
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
	spaces  = regexp.MustCompile(`[ ─]{2,}`)
)

// structure is what stays of a screen when figures, charts and widths do not count.
func structure(screen string) string {
	screen = cells.ReplaceAllString(figures.ReplaceAllString(screen, "N"), "█")
	var lines []string
	for line := range strings.Lines(screen) {
		line = strings.TrimSpace(spaces.ReplaceAllString(line, "  "))
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

// TestTerminal looks at the live view in terminals of three sizes, presses its keys, and sees what is left in the scroll-back.
func TestTerminal(t *testing.T) {
	t.Parallel()
	var count atomic.Int64
	target := httptest.NewServer(testHandler(&count))
	t.Cleanup(target.Close)
	for _, size := range [][2]int{{60, 15}, {100, 30}, {200, 60}} {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := fmt.Sprintf(`
execution: {concurrency: 4, hold-for: 9m, scenario: search}
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
`, target.URL)
			if err := os.WriteFile(filepath.Join(dir, "run.yml"), []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			x := openTerminal(t, size[0], size[1], dir)
			x.keys("stty -a >before.txt; ./stacrun run.yml --artifacts out; echo \"ended with $?\"; stty -a >after.txt; echo done", "Enter")
			x.until(`last [3-9]s(.|\n)*q stop`)
			golden(t, name+".txt", structure(x.do("capture-pane", "-p")))
			x.keys("Tab")
			x.until(`label +count(.|\n)*tab criteria|label +count(.|\n)*p  \+/-`)
			if size[0] >= 100 {
				golden(t, name+"-labels.txt", structure(x.do("capture-pane", "-p")))
			}
			x.keys("+")
			x.until(`5 users`)
			x.keys("p")
			x.until(`p resume`)
			x.keys("p")
			x.do("resize-window", "-x", "120", "-y", "40")
			x.until(`p pause`)
			x.keys("q")
			screen := x.until(`(?m)^done$`)
			if !strings.Contains(screen, "ended with 2") || !strings.Contains(screen, "GET /missing") || !strings.Contains(screen, "stopped by the key q") {
				t.Errorf("the final table or the verdict is not in the scroll-back:\n%s", screen)
			}
			if strings.Contains(screen, "q stop") {
				t.Errorf("the live view is still there:\n%s", screen)
			}
			before, _ := os.ReadFile(filepath.Join(dir, "before.txt"))
			after, _ := os.ReadFile(filepath.Join(dir, "after.txt"))
			if diff := cmp.Diff(string(before), strings.ReplaceAll(string(after), "rows 40; columns 120", fmt.Sprintf("rows %d; columns %d", size[1], size[0]))); diff != "" {
				t.Errorf("the terminal is not as it was:\n%s", diff)
			}
		})
	}
}
