// Package child runs a test once more in a process of its own, for what ends a process.
package child

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

const key = "STACRUN_TEST_CHILD"

// As tells a test which case it is to be in a process that Run has started; "" in any other.
func As() string { return os.Getenv(key) }

// Run runs the test, or subtest, that calls it in a process of its own, where As gives what is given here, and returns what
// the process wrote and its exit code.
func Run(t *testing.T, as string) (text string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), self, "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
	command.Env = append(os.Environ(), key+"="+as)
	out, err := command.CombinedOutput()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), command.ProcessState.ExitCode()
}
