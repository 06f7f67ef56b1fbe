package jtl

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

const ms = int64(time.Millisecond)

func names(id metrics.LabelID) string { return []string{"GET /", "a, \"b\"\nc", "visit"}[id] }

func TestRows(t *testing.T) {
	dir := t.TempDir()
	j := New(Options{})
	if err := j.Begin(reporttest.Run(dir)); err != nil {
		t.Fatal(err)
	}
	j.host = "box"
	samples := []metrics.Sample{
		{
			Start: 1000 * ms, TLS: 1003 * ms, FirstByte: 1010 * ms, End: 1012*ms + ms/2, Status: 200, BytesIn: 345,
			User: 2, Users: 7, Flags: metrics.NewConnection,
		},
		{Start: 2000 * ms, TLS: 2000 * ms, FirstByte: 2010 * ms, End: 2010 * ms, Status: 404, Label: 1, Fault: metrics.FaultStatus, Flags: metrics.Failed},
		{Start: 3000 * ms, TLS: 3000 * ms, FirstByte: 3500 * ms, End: 3500 * ms, Fault: metrics.FaultTimeout, Flags: metrics.Failed},
		{Start: 3000 * ms, FirstByte: 3000 * ms, End: 3100 * ms, Label: 2, Kind: metrics.TransactionKind},
		{Start: 500 * ms, TLS: 500 * ms, FirstByte: 510 * ms, End: 510 * ms, Status: 200, User: 2, Users: 7, Flags: metrics.WarmUp},
		{Start: 3000 * ms, End: 3100 * ms, Kind: metrics.IterationKind},
		{Start: 3000 * ms, End: 3100 * ms, Flags: metrics.Interrupted},
	}
	if err := j.Samples(samples[:2], names); err != nil {
		t.Fatal(err)
	}
	if err := j.Samples(samples[2:], names); err != nil {
		t.Fatal(err)
	}
	o := &report.Outcome{}
	if err := j.End(o); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "kpi.jtl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		strings.Split("timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,grpThreads,allThreads,Latency,Hostname,Connect", ","),
		{"1796040001250", "13", "GET /", "200", "OK", "browse 1-3", "true", "345", "7", "7", "10", "box", "3"},
		{"1796040002250", "10", "a, \"b\"\nc", "404", "Not Found", "browse 1-1", "false", "0", "0", "0", "10", "box", "0"},
		{"1796040003250", "500", "GET /", "SocketTimeoutException", "timeout", "browse 1-1", "false", "0", "0", "0", "500", "box", "0"},
		{"1796040003250", "100", "visit", "", "", "browse 1-1", "true", "0", "0", "0", "0", "box", "0"},
		{"1796040000750", "10", "GET /", "200", "OK", "warm-up browse 1-3", "true", "0", "7", "7", "10", "box", "0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(o.Files) != 1 {
		t.Errorf("files %+v", o.Files)
	}
}

func TestWriteErrorIsToldAndKept(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	j := New(Options{})
	if err := j.Begin(reporttest.Run(t.TempDir())); err != nil {
		t.Fatal(err)
	}
	j.closer.Close()
	j.closer = full
	j.out.Reset(full)
	batch := make([]metrics.Sample, 1000)
	for i := 0; i < 20 && err == nil; i++ {
		err = j.Samples(batch, names)
	}
	if err == nil {
		t.Fatal("a full disk was not told")
	}
	if j.Observe(nil, nil, nil) == nil || j.End(&report.Outcome{}) == nil {
		t.Error("the error was forgotten")
	}
}

func BenchmarkRow(b *testing.B) {
	j := New(Options{})
	s := &metrics.Sample{Status: 200, End: 12 * ms}
	b.ReportAllocs()
	for b.Loop() {
		j.line = j.append(j.line[:0], s, "GET /search")
	}
}

// TestEachSecondIsWritten: a run that is killed leaves its rows.
func TestEachSecondIsWritten(t *testing.T) {
	dir := t.TempDir()
	j := New(Options{})
	if err := j.Begin(reporttest.Run(dir)); err != nil {
		t.Fatal(err)
	}
	if err := j.Samples([]metrics.Sample{{Start: 1000 * ms, End: 1010 * ms, Status: 200}}, names); err != nil {
		t.Fatal(err)
	}
	if err := j.Observe(nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "kpi.jtl"))
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%v, %q", err, text)
	}
	if err := j.End(&report.Outcome{}); err != nil {
		t.Error(err)
	}
}
