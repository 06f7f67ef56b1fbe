package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/schemas"
)

// taurusRow is one row of a table of docs/taurus.md.
type taurusRow struct {
	line                        int
	key, where, status, example string
}

var tableRow = regexp.MustCompile("^\\| `([^|]+)` \\| ([^|]+) \\| ([^|]+) \\| `(.+)` \\|$")

// taurusRows reads the tables. Whatever looks like a row of four columns and is none is a mistake.
func taurusRows(t *testing.T) []taurusRow {
	t.Helper()
	text, err := os.ReadFile("../../docs/taurus.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []taurusRow
	for i, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		m := tableRow.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("docs/taurus.md:%d: not a row of key, where, status, example: %s", i+1, line)
			continue
		}
		rows = append(rows, taurusRow{i + 1, m[1], m[2], m[3], m[4]})
	}
	return rows
}

// place makes a whole document of an example. Words of the example's place that it says itself are
// left out of what stands around it.
func place(where, example string) (string, bool) {
	has := func(key string) bool { return regexp.MustCompile(`(^|[\s,{])` + key + `:`).MatchString(example) }
	unless := func(key, text string) string {
		if has(key) {
			return ""
		}
		return text
	}
	scenario := func(keys string) string {
		return "scenarios: {s: {default-address: http://localhost, variables: {id: 1, n: 5, list_1: a}, " + keys + "}, login: {default-address: http://localhost, requests: [/login]}}\n"
	}
	const load = "execution: [{scenario: s, iterations: 1}]\n"
	plain := scenario("requests: [{url: /, label: home}]")
	switch where {
	case "file":
		return unless("execution", load) + unless("scenarios", plain) + example + "\n", true
	case "execution":
		return "execution: [{" + unless("scenario", "scenario: s, ") + example + "}]\n" + plain, true
	case "scenario":
		around := unless("default-address", "default-address: http://localhost, ") + unless("variables", "variables: {id: 1, n: 5}, ")
		if !has("requests") && !has("tasks") && !has("script") {
			around += "requests: [{url: /, label: home}], "
		}
		return load + "scenarios: {s: {" + around + example + "}, login: {default-address: http://localhost, requests: [/login]}}\n", true
	case "request":
		return load + scenario("requests: [{"+unless("url", "url: /, ")+unless("label", "label: home, ")+example+"}]"), true
	case "step":
		return load + scenario("requests: [/, {"+example+"}]"), true
	case "data source":
		around := "path: rows.csv, "
		if has("path") || has("rows") {
			around = ""
		}
		return load + scenario("requests: [/], data-sources: [{"+around+example+"}]"), true
	case "authorization":
		return load + scenario("requests: [/], authorization: [{"+example+"}]"), true
	case "settings":
		return load + plain + "settings: {" + example + "}\n", true
	case "modules":
		return load + plain + "modules: {" + example + "}\n", true
	case "reporting", "services":
		return load + plain + where + ": [{" + example + "}]\n", true
	case "criteria":
		return load + plain + "reporting: [{module: passfail, criteria: [" + example + "]}]\n", true
	}
	return "", false
}

// TestTaurusTable loads the example of every row and holds its status against what is said:
// native and ours nothing, ignored nothing, differs no error, warned a warning, rejected an error,
// later that it is not done yet. (A row that still says later when it runs only fails where CI looks.)
func TestTaurusTable(t *testing.T) {
	rows := map[string][]taurusRow{}
	for _, row := range taurusRows(t) {
		rows[row.where] = append(rows[row.where], row)
	}
	dir := t.TempDir()
	writeExampleFiles(t, dir)
	t.Chdir(dir)
	for where, list := range rows {
		t.Run(where, func(t *testing.T) {
			for _, row := range list {
				checkRow(t, row)
			}
		})
	}
}

func checkRow(t *testing.T, row taurusRow) {
	t.Helper()
	at := fmt.Sprintf("docs/taurus.md:%d: %s", row.line, row.key)
	if row.where == "command line" {
		checkCommandRow(t, at, row)
		return
	}
	document, ok := place(row.where, row.example)
	if !ok {
		t.Errorf("%s: unknown place %q", at, row.where)
		return
	}
	found := prepareText(t, document)
	says := "nothing"
	switch errors, warnings := count(found, diag.Error), count(found, diag.Warning); {
	case errors > 0:
		says = "rejected"
	case warnings > 0:
		says = "warned"
	}
	status, _, _ := strings.Cut(row.status, ":")
	good := false
	switch status {
	case "native", "ours", "ignored":
		good = says == "nothing"
	case "differs":
		good = says != "rejected"
	case "warned", "rejected":
		good = says == status
	case "later":
		good = slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == "not-supported" })
		if !good && len(found) == 0 && os.Getenv("STACRUN_REQUIRE_TOOLS") == "" {
			t.Logf("%s runs by now: call it native", at)
			return
		}
	}
	if !good {
		t.Errorf("%s is %q there, but Load says %s: %v\n%s", at, row.status, says, found, document)
	}
}

// prepareText makes a document ready as validate does.
func prepareText(t *testing.T, document string) diag.List {
	t.Helper()
	if err := os.WriteFile("example.yml", []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newApp(context.Background(), &process{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}, &cli{})
	_, _, found := a.prepare([]string{"example.yml"})
	return found
}

// checkCommandRow runs a command; FILE is a file that does one request to nowhere, so only verbs that
// send nothing stand in the table.
func checkCommandRow(t *testing.T, at string, row taurusRow) {
	t.Helper()
	document, _ := place("execution", "iterations: 1")
	if err := os.WriteFile("FILE", []byte(document+"cli-aliases: {my-alias: {settings: {seed: 7}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr := temporary(t), temporary(t)
	args := strings.Fields(row.example)
	for i := range args {
		args[i] = strings.Trim(args[i], "'")
	}
	code := run(args[1:], &process{stdin: os.Stdin, stdout: stdout, stderr: stderr})
	text, err := os.ReadFile(stderr.Name())
	if err != nil {
		t.Fatal(err)
	}
	says := "nothing"
	switch {
	case code != 0:
		says = "rejected"
	case strings.Contains(string(text), "warning: "):
		says = "warned"
	}
	status, _, _ := strings.Cut(row.status, ":")
	want := map[string]string{"native": "nothing", "ours": "nothing", "differs": says, "warned": "warned", "rejected": "rejected"}[status]
	if says != want {
		t.Errorf("%s is %q there, but %s says %s (code %d):\n%s", at, row.status, row.example, says, code, text)
	}
}

func temporary(t *testing.T) *os.File {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// TestTaurusTableIsComplete wants a row for every key that the schema knows.
func TestTaurusTableIsComplete(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Title      string
			Properties map[string]any
		} `json:"$defs"`
	}
	if err := json.Unmarshal(schemas.JSON, &schema); err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, row := range taurusRows(t) {
		for _, word := range regexp.MustCompile(`[\w~^$*][\w.-]*`).FindAllString(row.key+" "+row.example, -1) {
			named[word] = true
		}
	}
	// The studies and reporters that Taurus does not know are explained by stacrun keys.
	blocks := regexp.MustCompile(`^(execution|scenario|request|settings|data-source|credentials|cookie|criterion|assert-.*|extract-.*|.*-block|` +
		`task|upload|retry|shell-command|stage|tls|timeouts|monitoring-local|module-(jmeter|consolidator|local)|reporting-(final-stats|junit-xml|passfail|console))$`)
	for name, block := range schema.Defs {
		for key := range block.Properties {
			if blocks.MatchString(name) && !named[key] && key != "interval" {
				t.Errorf("docs/taurus.md has no row for %q of %s", key, max(block.Title, name))
			}
		}
	}
}

var fencedYAML = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// TestLanguageDocs makes every block of these pages ready that is a whole
// document: without errors, and without warnings unless the line before says so.
func TestLanguageDocs(t *testing.T) {
	texts := map[string]string{}
	for _, name := range []string{"language.md", "taurus.md", "studies.md", "reporters-html.md"} {
		text, err := os.ReadFile(filepath.Join("../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	dir := t.TempDir()
	writeExampleFiles(t, dir)
	t.Chdir(dir)
	whole := 0
	for name, text := range texts {
		for _, at := range fencedYAML.FindAllStringSubmatchIndex(text, -1) {
			block := text[at[2]:at[3]]
			where := fmt.Sprintf("docs/%s:%d", name, 1+strings.Count(text[:at[0]], "\n"))
			if !strings.HasPrefix(block, "execution:") && !strings.Contains(block, "\nexecution:") {
				if _, found := config.Read(where, []byte(block)); found.HasErrors() {
					t.Errorf("%s cannot be read: %v", where, found)
				}
				continue
			}
			whole++
			if found := prepareText(t, block); len(found) > 0 {
				t.Errorf("%s: %v\n%s", where, found, block)
			}
		}
	}
	if whole < 10 {
		t.Errorf("%d whole documents, want 10 or more", whole)
	}
}

// writeExampleFiles writes the files that examples name.
func writeExampleFiles(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pemText := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	for name, text := range map[string]string{
		"rows.csv": "id,name\n1,a\n2,b\n", "rows.jsonl": "{\"id\": 1}\n", "body.json": `{"limit": 1}`, "file.bin": "x", "test.jmx": "<jmeterTestPlan/>",
		"other.yml": "settings: {seed: 5}\n", "client.pem": pemText("CERTIFICATE", certificate), "client.key": pemText("PRIVATE KEY", private), "files.zip": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
