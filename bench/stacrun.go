package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildStacrun builds the product into dir and gives its path, or the path that was asked for.
func buildStacrun(ctx context.Context, o options, dir string) (string, error) {
	if o.stacrun != "" {
		return filepath.Abs(o.stacrun)
	}
	name := filepath.Join(dir, "stacrun")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", name, "github.com/stacrun/stacrun/cmd/stacrun")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build stacrun: %w: %s", err, tail(string(out), 600))
	}
	return name, nil
}

// stacrunArgs writes the scenario of a job and gives the command that runs it.
func stacrunArgs(program string, j job) ([]string, error) {
	name := filepath.Join(j.dir, "scenario.yml")
	if err := os.WriteFile(name, []byte(scenario(j)), 0o644); err != nil {
		return nil, err
	}
	return []string{program, "run", name, "--quiet", "--artifacts", filepath.Join(j.dir, "artifacts"), "--overwrite"}, nil
}

// scenario gives the YAML of a job. The number of iterations is each user's, so it is rounded up to a whole one.
func scenario(j job) string {
	var b strings.Builder
	each := (j.requests + j.users - 1) / j.users
	scheme, rest, _ := strings.Cut(j.url, "://")
	host, _, _ := strings.Cut(rest, "/")
	fmt.Fprintf(&b, "execution:\n- concurrency: %d\n  iterations: %d\n  scenario: bench\n", j.users, each)
	fmt.Fprintf(&b, "scenarios:\n  bench:\n    default-address: %s://%s\n", scheme, host)
	if j.work.TLS {
		b.WriteString("    tls: {verify: false}\n")
	}
	if j.work.Close {
		b.WriteString("    keepalive: false\n")
	}
	b.WriteString("    requests:\n")
	switch {
	case j.work.Rich:
		b.WriteString(`    - label: item
      url: /items/${__Random(1,1000)}?user=${__threadNum}&n=${__Random(1,100000)}
      assert:
      - subject: http-code
        contains: ["200"]
      - subject: body
        contains: ['"platform":"sentinel-2b"']
      extract-jsonpath:
        collection: $.collection
        cover: $.properties['eo:cloud_cover']
`)
	case j.work.Vary:
		fmt.Fprintf(&b, `    - label: get
      url: %s?user=${__threadNum}&n=${__Random(1,100000)}
      assert: [{subject: http-code, contains: ["200"]}]
`, j.work.Path)
	case j.work.Bulk:
		fmt.Fprintf(&b, `    - label: bulk
      url: %s
      method: POST
      headers: {Content-Type: application/x-ndjson}
      body: %q
      assert:
      - subject: http-code
        contains: ["200"]
      - subject: body
        contains: ['"errors":false']
`, j.work.Path, bulk("S2B-${__threadNum}-${__Random(1,1000000)}"))
	case j.work.Body != nil:
		fmt.Fprintf(&b, "    - label: upload\n      url: %s\n      method: POST\n      body: %s\n", j.work.Path, j.work.Body())
	default:
		fmt.Fprintf(&b, "    - label: get\n      url: %s\n", j.work.Path)
	}
	b.WriteString("settings:\n  preflight: false\n")
	return b.String()
}
