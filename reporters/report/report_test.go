package report

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestShareIsExactAtItsEnds(t *testing.T) {
	for _, tt := range []struct {
		part, whole int64
		want        string
	}{
		{0, 0, "-"}, {0, 10, "0%"}, {10, 10, "100%"}, {1, 1_000_000, "<0.001%"}, {1, 100_000, "0.001%"},
		{999_999, 1_000_000, "99.9999%"}, {99_999_999, 100_000_000, "99.999999%"}, {99_999_999_999, 100_000_000_000, ">99.9999%"}, {9995, 10000, "99.95%"}, {1, 3, "33.3%"},
	} {
		got := Share(tt.part, tt.whole)
		if got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.part, tt.whole, got, tt.want)
		}
	}
}

func TestUnits(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0ms", 1500: "1.5µs", 999_999: "1000µs", 1e6: "1ms", 312_400_000: "312ms", 999_900_000: "1s", 1.5e9: "1.5s",
		59.99e9: "60s", 60e9: "1m", 125e9: "2m5s", 3600e9: "1h", 5430e9: "1h30.5m",
	} {
		if got := Nanoseconds(ns); got != want {
			t.Errorf("%v ns: %q, want %q", ns, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "00:00", 65 * time.Second: "01:05", 3661 * time.Second: "1:01:01", 30 * time.Hour: "30:00:00"} {
		if got := Clock(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	for rate, want := range map[float64]string{0: "0.0/s", 0.014: "0.014/s", 12.34: "12.3/s", 1234.5: "1235/s"} {
		if got := PerSecond(rate, true); got != want {
			t.Errorf("%v: %q, want %q", rate, got, want)
		}
	}
}

func TestTableKeepsItsWidth(t *testing.T) {
	table := &Table{
		Columns: []Column{{Title: "label"}, {Title: "count"}, {Title: "p50", Drop: 1}, {Title: "p99", Drop: 2}},
		Rows: [][]string{
			{"検索検索検索検索検索検索", "1", "10ms", "20ms"},
			{"e\u0301te\u0301", "123456", "1ms", "2ms"},
			{strings.Repeat("long ", 20), "1", "1ms", "2ms"},
		},
	}
	for _, width := range []int{20, 25, 30, 40, 80, 200} {
		lines := table.Lines(width)
		for _, line := range lines {
			if Width(line) > max(width, 14) {
				t.Errorf("%d columns: %q has %d", width, line, Width(line))
			}
		}
	}
	if diff := cmp.Diff([]string{
		"label            count   p50",
		"検索検索検索…        1  10ms",
		"été             123456   1ms",
		"long long lon…       1   1ms",
	}, normal(table.Lines(28))); diff != "" {
		t.Error(diff)
	}
}

// normal makes the expectation readable: one é instead of a letter and a combining accent.
func normal(lines []string) []string {
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "e\u0301", "é")
	}
	return lines
}

func TestWriteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sub", "x.txt")
	write := func(text string, err error) error {
		return WriteFile(name, func(w io.Writer) error {
			_, _ = io.WriteString(w, text)
			return err
		})
	}
	if err := write("one", nil); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := write("two", broken); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(name); string(text) != "one" {
		t.Errorf("a failed write left %q", text)
	}
	if entries, _ := os.ReadDir(filepath.Dir(name)); len(entries) != 1 {
		t.Errorf("left-overs: %v", entries)
	}
	if err := CheckWritable(filepath.Dir(name)); err == nil {
		t.Error("a folder was taken for a file")
	}
	if err := CheckWritable(filepath.Join(name, "y")); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestWriteFileKeepsWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) error {
		return WriteFile(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	}
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(target, []byte("old"), 0o600), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(CheckWritable(link), write(link, "new")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "new" {
		t.Errorf("the file behind the link holds %q, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}

	socket := filepath.Join(dir, "socket")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Skip("no unix sockets here:", err)
	}
	defer listener.Close()
	if err := CheckWritable(socket); err != nil {
		t.Error(err)
	}
	_ = write(socket, "text") // a socket is not written to this way, but neither replaced
	if info, err := os.Lstat(socket); err != nil || info.Mode()&os.ModeSocket == 0 {
		t.Errorf("the socket became %v, %v", info, err)
	}
	for name, want := range map[string]bool{
		"/dev/stdout": true, "/dev/stderr": true, "/dev/fd/1": true, "/dev/../dev/stdout": true, os.DevNull: true,
		target: false, link: false, dir: false, filepath.Join(dir, "new"): false,
	} {
		if got := isNoFile(name); got != want {
			t.Errorf("isNoFile(%q) = %t", name, got)
		}
	}
}

func TestOutputPath(t *testing.T) {
	for _, tt := range []struct{ given, want string }{
		{"", filepath.Join("dir", "x.csv")}, {"y.csv", "y.csv"}, {"${TAURUS_ARTIFACTS_DIR}/z.csv", "dir/z.csv"}, {"/abs", "/abs"},
	} {
		if got := OutputPath(tt.given, "dir", "x.csv"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.given, got, tt.want)
		}
	}
}

func TestClean(t *testing.T) {
	if got := Clean("a\x1b[31m\nb\u202ec\xff"); got != "a [31m b c\uFFFD" {
		t.Errorf("%q", got)
	}
}
