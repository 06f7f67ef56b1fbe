package final

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

var _ = flag.Bool("update", false, "write the goldens")

func full(w io.Writer, width int) Options {
	return Options{Out: w, Width: width, Summary: true, Percentiles: true, SummaryLabels: true, FailedLabels: true, TestDuration: true}
}

func TestText(t *testing.T) {
	for _, width := range []int{80, 120, 200} {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			var b strings.Builder
			if err := reporttest.Feed(New(full(&b, width)), reporttest.Run(reporttest.Dir), reporttest.Outcome()); err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(b.String(), "\n") {
				if strings.HasPrefix(line, "GET") && report.Width(line) > width {
					t.Errorf("table line of %d columns: %s", report.Width(line), line)
				}
			}
			reporttest.Golden(t, fmt.Sprintf("final_%d.txt", width), b.String())
		})
	}
}

func TestOpenModelShowsBothTimes(t *testing.T) {
	iv := &metrics.Interval{Load: []metrics.Load{{Execution: "open", Open: true, Scheduled: 3, Started: 1, Finished: 1, RequestsStarted: 1}}}
	iv.Load[0].Dropped[metrics.DropWaitedTooLong] = 2
	row := metrics.Row{Execution: "open", Label: "a", Finished: 1, Exchanges: 1, LastEnd: 2e9}
	row.Service.Record(10e6)
	row.Response.Record(900e6)
	iv.Rows = []metrics.Row{row}
	iv.Health = metrics.Health{CPUShare: 0.99}
	o := &report.Outcome{Snapshot: reporttest.Snapshot([]*metrics.Interval{iv}), Duration: 2 * time.Minute}
	var b strings.Builder
	r := New(full(&b, 100))
	if err := errors.Join(r.Begin(report.Run{}), r.End(o)); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "open.txt", b.String())
}

func TestThroughputThatWasMissed(t *testing.T) {
	for _, tt := range []struct {
		name     string
		admitted int64
		beside   time.Duration // what another execution takes
		warmUp   int64         // its requests in the warm-up
		want     string
	}{
		{"by much", 1630, 0, 0, "throughput: cap reached 163/s of 200/s planned (82%); more users are needed"},
		{"beside others", 1630, 40 * time.Second, 0, "throughput: cap reached 163/s of 200/s planned (82%); more users are needed"},
		{"without the warm-up", 1630, 40 * time.Second, 7, "throughput: cap reached 163/s of 200/s planned (82%); more users are needed"},
		{"by little", 1910, 0, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			iv := &metrics.Interval{Load: []metrics.Load{{Execution: "cap", RequestsPlanned: 2000, RequestsAdmitted: tt.admitted}, {Execution: "free", RequestsStarted: 5}}}
			iv.Rows = []metrics.Row{{Execution: "cap", Label: "a", Finished: tt.admitted, LastEnd: 10e9}}
			if tt.beside > 0 {
				iv.Rows = append(iv.Rows, metrics.Row{Execution: "free", Label: "b", Finished: 5, LastEnd: int64(tt.beside)})
			}
			if tt.warmUp > 0 {
				iv.Load[0].WarmUp = metrics.LoadPart{RequestsPlanned: 300, RequestsAdmitted: tt.warmUp}
				iv.Load[0].RequestsPlanned += 300
				iv.Load[0].RequestsAdmitted += tt.warmUp
				iv.Rows = append(iv.Rows, metrics.Row{Execution: "free", Label: "b", WarmUp: true, Finished: tt.warmUp, LastEnd: 1e9})
			}
			var b strings.Builder
			r := New(Options{Out: &b, Summary: true})
			if err := errors.Join(r.Begin(report.Run{}), r.End(&report.Outcome{Snapshot: reporttest.Snapshot([]*metrics.Interval{iv})})); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(b.String(), "throughput:"); got != (tt.want != "") || !strings.Contains(b.String(), tt.want) {
				t.Errorf("want %q in\n%s", tt.want, b.String())
			}
		})
	}
}

func TestEmptyRun(t *testing.T) {
	var b strings.Builder
	r := New(full(&b, 100))
	if err := errors.Join(r.Begin(report.Run{}), r.End(&report.Outcome{})); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "total      0       0     -") {
		t.Errorf("no total of nothing:\n%s", b.String())
	}
}

func TestSwitches(t *testing.T) {
	var b strings.Builder
	if err := reporttest.Feed(New(Options{Out: &b, FailedLabels: true}), reporttest.Run(""), reporttest.Outcome()); err != nil {
		t.Fatal(err)
	}
	if want := "5 failed samples: GET /search\n10 failed samples: landing, \"root\"\n"; b.String() != want {
		t.Errorf("got %q", b.String())
	}
}

func TestClosedOutputIsAnError(t *testing.T) {
	for _, room := range []int{0, 100, 600} {
		dir := t.TempDir()
		o := full(&reporttest.Full{Room: room}, 100)
		o.DumpCSV = filepath.Join(dir, "x.csv")
		err := reporttest.Feed(New(o), reporttest.Run(dir), reporttest.Outcome())
		if !errors.Is(err, reporttest.ErrFull) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		if _, err := os.Stat(o.DumpCSV); err != nil {
			t.Error("the dump was left out because of the output")
		}
	}
	if err := Verdict(&reporttest.Full{Room: 10}, reporttest.Outcome(), VerdictOptions{}); !errors.Is(err, reporttest.ErrFull) {
		t.Errorf("verdict: %v", err)
	}
}

func dumps(t *testing.T) (csvFile, xmlFile string, o *report.Outcome) {
	t.Helper()
	dir := t.TempDir()
	o = reporttest.Outcome()
	r := New(Options{Out: io.Discard, DumpCSV: "${TAURUS_ARTIFACTS_DIR}/sub/final.csv", DumpXML: filepath.Join(dir, "final.xml")})
	if err := reporttest.Feed(r, reporttest.Run(dir), o); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "sub", "final.csv"), filepath.Join(dir, "final.xml"), o
}

func TestDumpCSV(t *testing.T) {
	name, _, o := dumps(t)
	if len(o.Files) != 2 || o.Files[0].Path != name {
		t.Errorf("files %+v", o.Files)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := "label,avg_ct,avg_lt,avg_rt,bytes,concurrency,fail,stdev_rt,succ,throughput,perc_0.0,perc_50.0,perc_90.0,perc_95.0,perc_99.0,perc_99.9,perc_100.0,rc_200,rc_404,rc_SocketException"
	if diff := cmp.Diff(strings.Split(want, ","), lines[0]); diff != "" {
		t.Error(diff)
	}
	rows := map[string][]string{}
	for _, line := range lines[1:] {
		rows[line[0]] = line
	}
	if len(rows) != 5 || rows[""] == nil {
		t.Fatalf("rows %v", rows)
	}
	search := rows["GET /search"]
	if diff := cmp.Diff([]string{"GET /search", "0.00010", "0.02750", "0.05500", "100000", "4", "5", "0.02872", "95", "100", "0.01000"}, search[:11]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"0.10000", "95", "", "5"}, search[16:]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"115", "10", "5"}, rows[""][17:]); diff != "" {
		t.Error(diff)
	}
}

func TestDumpNamesTheEmptyLabel(t *testing.T) {
	snap := metrics.NewSnapshot()
	snap.Add(&metrics.Interval{Final: true, Rows: []metrics.Row{{Execution: "x", Finished: 1}, {Execution: "x", Label: "a", Finished: 1}}})
	var labels []string
	for _, g := range newDumpData(report.NewTotals(snap), DefaultLevels(), 1).groups {
		labels = append(labels, g.label)
	}
	if diff := cmp.Diff([]string{"", "[empty]", "a"}, labels); diff != "" {
		t.Error(diff)
	}
}

func TestDumpXML(t *testing.T) {
	_, name, _ := dumps(t)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var status struct {
		TestDuration string
		Group        []struct {
			Label   string `xml:"label,attr"`
			Figures []struct {
				XMLName xml.Name
				Value   string `xml:"value,attr"`
				Param   string `xml:"param,attr"`
				Name    string `xml:"name"`
				Text    string `xml:"value"`
			} `xml:",any"`
		}
	}
	if err := xml.Unmarshal(text, &status); err != nil {
		t.Fatal(err)
	}
	if status.TestDuration != "9.0" || len(status.Group) != 5 || status.Group[0].Label != "" {
		t.Errorf("%s seconds, %d groups", status.TestDuration, len(status.Group))
	}
	got := map[string]string{}
	for _, f := range status.Group[0].Figures {
		if f.Value != f.Text {
			t.Errorf("%s: attribute %s, element %s", f.Name, f.Value, f.Text)
		}
		if f.Param != "" && f.Name != f.XMLName.Local+"/"+f.Param {
			t.Errorf("%s of %s is named %s", f.Param, f.XMLName.Local, f.Name)
		}
		got[f.Name] = f.Value
	}
	for name, want := range map[string]string{"throughput": "130", "perc/50.0": "0.05001", "rc/200": "115", "fail": "15", "concurrency": "4"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

func TestUnwritableDumpShowsBeforeTheRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r := New(Options{Out: io.Discard, DumpCSV: filepath.Join(file, "x.csv")})
	if err := r.Begin(reporttest.Run("")); err == nil {
		t.Error("a file was taken for a folder")
	}
}
