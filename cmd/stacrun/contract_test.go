package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// paths lists the paths of all leaves of a JSON document; [] stands for the elements of a list.
func paths(value any, at string, add func(string)) {
	switch v := value.(type) {
	case map[string]any:
		for key, x := range v {
			name := key
			if at != "" {
				name = at + "." + key
			}
			paths(x, name, add)
		}
	case []any:
		add(at + "[]")
		for _, x := range v {
			paths(x, at+"[]", add)
		}
	default:
		add(at)
	}
}

// call runs the command in this process.
func call(t *testing.T, args ...string) (stdout string, code int) {
	t.Helper()
	dir := t.TempDir()
	files := make([]*os.File, 2)
	for i, name := range []string{"stdout", "stderr"} {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		files[i] = file
	}
	code = run(args, &process{stdin: os.Stdin, stdout: files[0], stderr: files[1]})
	text, err := os.ReadFile(files[0].Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text), code
}

// TestContractsAreDocumented: every field of the JSON forms stands in docs/json.md, and every field that
// stands there exists (unless the run has nothing of its kind).
func TestContractsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(string(doc), -1) {
		documented[m[1]] = true
	}
	server := httptest.NewServer(nil)
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "results")
	file := filepath.Join(t.TempDir(), "file.yml")
	text := `
execution: [{concurrency: 2, iterations: 3, scenario: s}]
scenarios:
  s:
    default-address: ` + server.URL + `
    data-sources: [rows.csv]
    requests: [{url: '/missing', label: missing}]
reporting:
- {module: passfail, criteria: ['slow: p95 of missing>1h', 'assert: hits() > 0', 'fail>1000% for 2s']}
`
	text = strings.Replace(text, "'assert: hits() > 0', 'fail>1000% for 2s'", "'hits of missing<1 for 5s'", 1)
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "rows.csv"), []byte("a,b\n1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{}
	forms["validate"], _ = call(t, "validate", file, "-o", "execution.0.hold_for=1s", "--format", "json")
	forms["plan"], _ = call(t, "plan", file, "--format", "json")
	_, code := call(t, file, "--artifacts", dir, "-q", "-o", "settings.default-gate=none")
	summary, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatalf("exit code %d: %v", code, err)
	}
	forms["summary"] = string(summary)

	figures := regexp.MustCompile(`^(total|labels\[\])\.((service_ms|response_ms)\.)?`)
	dynamic := regexp.MustCompile(`^(codes|faults)\..*`)
	for name, form := range forms {
		var value any
		if err := json.NewDecoder(bytes.NewReader([]byte(form))).Decode(&value); err != nil {
			t.Errorf("%s: %v\n%s", name, err, form)
			continue
		}
		var missing []string
		paths(value, "", func(path string) {
			if name == "plan" && strings.HasPrefix(path, "diagnostics") {
				return // those of validate
			}
			field := path
			if name == "summary" && figures.MatchString(path) && path != "labels[].label" && path != "labels[].kind" {
				field = dynamic.ReplaceAllString(figures.ReplaceAllString(path, ""), "$1")
			}
			if strings.HasSuffix(field, "[]") && (documented[strings.TrimSuffix(field, "[]")] || containsPrefix(documented, field)) {
				return // a list whose elements are documented
			}
			if !documented[field] && !slices.Contains(missing, field) {
				missing = append(missing, field)
			}
		})
		if missing != nil {
			slices.Sort(missing)
			t.Errorf("%s: not in docs/json.md: %s", name, strings.Join(missing, ", "))
		}
	}
}

func containsPrefix(set map[string]bool, prefix string) bool {
	for name := range set {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
