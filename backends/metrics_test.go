package backends_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// TestComposeMetrics reads the profile that watches runs: it starts only when asked for, and what it
// mounts is there.
func TestComposeMetrics(t *testing.T) {
	const name = "../docker-compose.yml"
	project, err := loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir:  "..",
		ConfigFiles: []types.ConfigFile{{Filename: name}},
	}, func(o *loader.Options) {
		o.SetProjectName("stacrun", true)
		o.Profiles = []string{"metrics"}
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for service, port := range map[string]string{"prometheus": "9090", "grafana": "3000"} {
		if _, on := load(t).Services[service]; on {
			t.Errorf("%s starts without being asked for", service)
		}
		s, ok := project.Services[service]
		if !ok {
			t.Errorf("service %s is missing", service)
			continue
		}
		if len(s.Ports) != 1 || s.Ports[0].Published != port || s.Ports[0].HostIP != "127.0.0.1" {
			t.Errorf("%s: ports %v", service, s.Ports)
		}
		if s.HealthCheck == nil || s.Deploy == nil || s.Deploy.Resources.Limits == nil || s.Deploy.Resources.Limits.MemoryBytes == 0 {
			t.Errorf("%s has no health check or no memory limit", service)
		}
		if strings.HasSuffix(s.Image, ":latest") || !strings.Contains(s.Image, ":") {
			t.Errorf("%s: image %s is not pinned", service, s.Image)
		}
		for _, v := range s.Volumes {
			if v.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil || !v.ReadOnly {
				t.Errorf("%s: volume %v: %v", service, v, err)
			}
		}
	}
}
