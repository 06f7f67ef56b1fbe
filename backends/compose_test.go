// Package backends_test checks the files that start the real backends.
package backends_test

import (
	"context"
	"slices"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// load reads docker-compose.yml the way `docker compose` does, schema check included.
func load(t *testing.T) *types.Project {
	t.Helper()
	const name = "../docker-compose.yml"
	project, err := loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir:  "..",
		ConfigFiles: []types.ConfigFile{{Filename: name}},
	}, func(o *loader.Options) { o.SetProjectName("stacrun", true) })
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return project
}

func TestComposeServicesAndPorts(t *testing.T) {
	project := load(t)
	want := map[string]struct{ port, image string }{
		"app-pgstac":        {"8083", "stacrun-pgstac-api:7.2.0"},
		"pgstac":            {"5439", "ghcr.io/stac-utils/pgstac:v0.10.0"},
		"app-elasticsearch": {"8084", "ghcr.io/stac-utils/stac-fastapi-es:v8.1.1"},
		"elasticsearch":     {"9200", "docker.elastic.co/elasticsearch/elasticsearch:9.3.2"},
		"app-opensearch":    {"8085", "ghcr.io/stac-utils/stac-fastapi-os:v8.1.1"},
		"opensearch":        {"9202", "opensearchproject/opensearch:3.8.0"},
		"app-mongo":         {"8086", "stacrun-mongo-api:3.2.0"},
		"mongo":             {"27017", "mongo:7.0"},
		"app-stac-os-rs":    {"8087", "ghcr.io/jonhealy1/stac-os-rs:0.2.0"},
		"opensearch-rs":     {"9203", "opensearchproject/opensearch:3.8.0"},
	}
	if len(project.Services) != len(want) {
		t.Errorf("%d services, want %d", len(project.Services), len(want))
	}
	for name, w := range want {
		service, ok := project.Services[name]
		if !ok {
			t.Errorf("service %s is missing", name)
			continue
		}
		if service.Image != w.image {
			t.Errorf("%s: image %s, want %s", name, service.Image, w.image)
		}
		if len(service.Ports) != 1 || service.Ports[0].Published != w.port {
			t.Errorf("%s: ports %v, want %s", name, service.Ports, w.port)
			continue
		}
		if service.Ports[0].HostIP != "127.0.0.1" {
			t.Errorf("%s: published on %q; these stores have no passwords worth the name", name, service.Ports[0].HostIP)
		}
	}
}

func TestComposeEqualFooting(t *testing.T) {
	project := load(t)
	workers := map[string]bool{}
	for _, name := range project.ServiceNames() {
		service := project.Services[name]
		if service.HealthCheck == nil || len(service.HealthCheck.Test) == 0 {
			t.Errorf("%s has no health check", name)
		}
		if service.Deploy == nil || service.Deploy.Resources.Limits == nil || service.Deploy.Resources.Limits.MemoryBytes == 0 {
			t.Errorf("%s has no memory limit", name)
		}
		if _, limited := service.Environment["STAC_FASTAPI_RATE_LIMIT"]; limited {
			t.Errorf("%s has a rate limit", name)
		}
		if len(name) < 4 || name[:4] != "app-" {
			continue
		}
		if on := service.Environment["ENABLE_TRANSACTIONS_EXTENSIONS"]; on == nil || *on != "true" {
			t.Errorf("%s: transactions are off", name)
		}
		if reload := service.Environment["RELOAD"]; reload != nil && *reload != "false" {
			t.Errorf("%s: reload is on", name)
		}
		if n := service.Environment["WEB_CONCURRENCY"]; n != nil {
			workers[*n] = true
		} else if name != "app-stac-os-rs" { // one process, all cores
			t.Errorf("%s: no worker count", name)
		}
		stores := make([]string, 0, 1)
		for store, dependency := range service.DependsOn {
			stores = append(stores, store)
			if dependency.Condition != types.ServiceConditionHealthy {
				t.Errorf("%s does not wait until %s is healthy", name, store)
			}
		}
		if len(stores) != 1 {
			t.Errorf("%s depends on %v, want one store", name, slices.Sorted(slices.Values(stores)))
		}
	}
	if len(workers) != 1 {
		t.Errorf("unequal worker counts: %v", workers)
	}
}

func TestComposeStoresHaveAbout2GB(t *testing.T) {
	project := load(t)
	heap := func(service, variable string) {
		if v := project.Services[service].Environment[variable]; v == nil || *v != "-Xms2g -Xmx2g" {
			t.Errorf("%s: %s is not 2 GB", service, variable)
		}
	}
	heap("elasticsearch", "ES_JAVA_OPTS")
	heap("opensearch", "OPENSEARCH_JAVA_OPTS")
	heap("opensearch-rs", "OPENSEARCH_JAVA_OPTS")
	for service, word := range map[string]string{"pgstac": "shared_buffers=2GB", "mongo": "--wiredTigerCacheSizeGB"} {
		if !slices.Contains(project.Services[service].Command, word) {
			t.Errorf("%s: command %v lacks %s", service, project.Services[service].Command, word)
		}
	}
}
