package stac_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/stac"
)

// python returns the folder of a virtual environment with the clients in it. One that has them may be named
// by STACRUN_STAC_PYTHON; with STACRUN_REQUIRE_TOOLS=1 it is made; else the test is skipped.
func python(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("STACRUN_STAC_PYTHON"); dir != "" {
		return filepath.Join(dir, "bin")
	}
	if os.Getenv("STACRUN_REQUIRE_TOOLS") != "1" {
		t.Skip("pystac-client and stac-api-validator are not looked for: set STACRUN_STAC_PYTHON to a virtual environment with " +
			"stac/testdata/python/requirements.txt in it, or STACRUN_REQUIRE_TOOLS=1 to have one made")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "stacrun", "stac-python-1")
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return filepath.Join(dir, "bin")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	install := []string{filepath.Join(dir, "bin", "pip"), "install", "-q", "--disable-pip-version-check", "-r", "testdata/python/requirements.txt"}
	for _, command := range [][]string{{"python3", "-m", "venv", "--clear", dir}, install} {
		var out []byte
		for range 2 { // a download that fails is tried once more
			if out, err = exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err == nil {
				break
			}
		}
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "complete"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "bin")
}

// startSample serves the shipped sample of 100 items.
func startSample(t *testing.T, db string) string {
	t.Helper()
	source := stac.Generated(1, "", 100)
	server, err := stac.Serve(t.Context(), stac.ServeOptions{Address: "127.0.0.1:0", Source: &source, DB: db})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := server.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return server.URL()
}

func TestRealClientsAcceptTheAPI(t *testing.T) {
	bin := python(t)
	for name, db := range map[string]string{"memory": "", "sqlite": filepath.Join(t.TempDir(), "items.db")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := startSample(t, db)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			out, err := exec.CommandContext(ctx, filepath.Join(bin, "python"), "testdata/python/client.py", url).CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != "ok" {
				t.Errorf("pystac-client: %v\n%s", err, out)
			}
			out, err = exec.CommandContext(ctx, filepath.Join(bin, "stac-api-validator"), validatorArguments(url)...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "Errors: none") {
				t.Errorf("stac-api-validator: %v\n%s", err, out)
			}
		})
	}
}

// validatorArguments asks for every class that needs no schema from the network.
func validatorArguments(url string) []string {
	arguments := []string{
		"--root-url", url, "--collection", "test-collection", "--transaction-collection", "test-collection",
		"--geometry", `{"type":"Polygon","coordinates":[[[20,20],[21,20],[21,21],[20,21],[20,20]]]}`,
		"--fields-nested-property", "properties.eo:cloud_cover", "--query-comparison-field", "eo:cloud_cover",
		"--query-substring-field", "platform", "--query-starts-with-value", "sentinel", "--query-ends-with-value", "2a",
		"--query-contains-value", "tinel", "--query-in-field", "instruments", "--query-in-values", "msi",
		"--query-eq-value", "0.12", "--query-neq-value", "0.12", "--query-lt-value", "50", "--query-lte-value", "50",
		"--query-gt-value", "50", "--query-gte-value", "50",
	}
	for _, class := range []string{"core", "item-search", "item-search#sort", "item-search#fields", "item-search#query", "filter", "transaction"} {
		arguments = append(arguments, "--conformance", class)
	}
	return arguments
}
