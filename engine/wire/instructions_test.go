package wire

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stacrun/stacrun/internal/weigh"
)

// The user-space share of an exchange does not grow unnoticed: reading a head of nginx takes so many instructions, as
// callgrind counts them, which a busy machine does not change. A process is run with a hundred and with ten thousand heads,
// and the difference is divided.
func TestHead_instructions(t *testing.T) {
	t.Parallel()
	weigh.Exact(t)
	const child, limit = "STACRUN_TEST_HEADS", 4000
	if n, err := strconv.Atoi(os.Getenv(child)); err == nil {
		req := &Request{Method: "GET"}
		var a answer
		for range n {
			a.reset(req)
			a.n = len(nginxAnswer)
			if !a.advance(nginxAnswer) || a.part != complete {
				t.Fatal(a.detail)
			}
		}
		return
	}
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		t.Skip("valgrind is not installed")
	}
	counted := regexp.MustCompile(`Collected : (\d+)`)
	count := func(n int) int {
		cmd := exec.Command(valgrind, "--tool=callgrind", "--callgrind-out-file="+filepath.Join(t.TempDir(), "out"),
			os.Args[0], "-test.run=^TestHead_instructions$")
		cmd.Env = append(os.Environ(), fmt.Sprint(child, "=", n), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1") // signals confuse it
		out, err := cmd.CombinedOutput()
		m := counted.FindSubmatch(out)
		if err != nil || m == nil {
			t.Skipf("callgrind does not run this program: %v: %.300s", err, out)
		}
		instructions, _ := strconv.Atoi(string(m[1]))
		return instructions
	}
	few, many := count(100), count(10_100)
	each := (many - few) / 10_000
	t.Logf("%d instructions for each head of %d bytes", each, len(nginxAnswer))
	if each > limit {
		t.Errorf("%d instructions for each head, want at most %d", each, limit)
	}
}
