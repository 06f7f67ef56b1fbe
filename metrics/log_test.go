package metrics

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func TestEncodingIsExact(t *testing.T) {
	codec := NewCodec()
	defer codec.Close()
	for seed := range uint64(100) {
		iv := randomInterval(rand.New(rand.NewPCG(seed, 3)))
		frame, err := codec.Append([]byte("before"), iv)
		if err != nil {
			t.Fatal(err)
		}
		got, rest, err := codec.Decode(append(frame[len("before"):], "after"...))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if string(rest) != "after" {
			t.Errorf("rest = %q", rest)
		}
		if d := diff(iv, got); d != "" {
			t.Fatalf("seed %d: -want +got\n%s", seed, d)
		}
		for i := range got.Rows {
			if got.Rows[i].sharesTimes() != iv.Rows[i].sharesTimes() {
				t.Errorf("seed %d: row %d no longer shares its times", seed, i)
			}
		}
	}
}

// testLog returns a log of three intervals and where each of its frames ends, the header's first.
func testLog(t testing.TB) (log []byte, ends []int, intervals []*Interval) {
	t.Helper()
	var b bytes.Buffer
	w, err := NewLogWriter(&b, map[string]any{"name": "test"})
	if err != nil {
		t.Fatal(err)
	}
	ends = append(ends, b.Len())
	r := random(t)
	for range 3 {
		iv := randomInterval(r)
		if err := w.Append(iv); err != nil {
			t.Fatal(err)
		}
		intervals = append(intervals, iv)
		ends = append(ends, b.Len())
	}
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), ends, intervals
}

func TestLog(t *testing.T) {
	log, _, intervals := testLog(t)
	header, got, err := ReadLog(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	if header.Version != LogVersion || string(header.Run) != `{"name":"test"}` || header.Torn {
		t.Errorf("header: %+v", header)
	}
	if d := diff(intervals, got); d != "" {
		t.Error(d)
	}
}

// TestLogThatWasCut cuts a log at every byte: what was whole is read, and the cut is told unless it falls between intervals.
func TestLogThatWasCut(t *testing.T) {
	log, ends, intervals := testLog(t)
	for n := range len(log) {
		header, got, err := ReadLog(bytes.NewReader(log[:n]))
		if n < ends[0] {
			if err == nil {
				t.Fatalf("%d bytes: no error within the header", n)
			}
			continue
		}
		whole := 0
		for _, end := range ends[1:] {
			if n >= end {
				whole++
			}
		}
		if err != nil || len(got) != whole || header.Torn != (n != ends[whole]) {
			t.Fatalf("%d bytes: %d intervals, torn %v, error %v; want %d", n, len(got), header.Torn, err, whole)
		}
		if whole == 2 && n == ends[2] {
			if d := diff(intervals[:2], got); d != "" {
				t.Error(d)
			}
		}
	}
}

func TestLogThatWasFilledUp(t *testing.T) {
	log, ends, _ := testLog(t)
	tests := []struct {
		name string
		log  []byte
		want int
	}{
		{"zeros instead of an interval", append(bytes.Clone(log[:ends[2]]), make([]byte, 5000)...), 2},
		{"zeros instead of the end of the last one", append(bytes.Clone(log[:ends[3]-20]), make([]byte, 20)...), 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			header, got, err := ReadLog(bytes.NewReader(test.log))
			if err != nil || !header.Torn || len(got) != test.want {
				t.Errorf("%d intervals, torn %v, error %v", len(got), header.Torn, err)
			}
		})
	}
}

// TestLogThatIsDamaged flips each bit before the last interval in turn: it must never be taken for data, nor for a cut.
func TestLogThatIsDamaged(t *testing.T) {
	log, ends, intervals := testLog(t)
	for at := ends[1]; at < ends[2]; at++ {
		bad := bytes.Clone(log)
		bad[at] ^= 1 << (at % 8)
		header, got, err := ReadLog(bytes.NewReader(bad))
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) || corrupt.Offset != int64(ends[1]) || header.Torn || len(got) != 1 {
			t.Fatalf("byte %d: %d intervals, torn %v, error %v", at, len(got), header.Torn, err)
		}
		if at == ends[1] {
			if d := diff(intervals[:1], got); d != "" {
				t.Error(d)
			}
		}
	}
}

func TestLogThatIsNone(t *testing.T) {
	for _, text := range []string{"", "stacrun", "something else entirely\n", "stacrun interval log 2\n", logMagic, logMagic + "\xa5"} {
		if _, _, err := ReadLog(bytes.NewReader([]byte(text))); err == nil {
			t.Errorf("%q was read as a log", text)
		}
	}
}

// fullDisk takes a number of bytes and no more.
type fullDisk struct {
	*os.File
	left int
}

func (f *fullDisk) Write(b []byte) (int, error) {
	n := min(f.left, len(b))
	f.left -= n
	n, err := f.File.Write(b[:n])
	if err == nil && n < len(b) {
		err = errors.New("no space left on device")
	}
	return n, err
}

func TestLogOnFullDisk(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "intervals.log"))
	if err != nil {
		t.Fatal(err)
	}
	disk := &fullDisk{file, 1 << 20}
	w, err := NewLogWriter(disk, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := random(t)
	first, lost, later := randomInterval(r), randomInterval(r), randomInterval(r)
	if err := w.Append(first); err != nil {
		t.Fatal(err)
	}
	disk.left = 30
	if err := w.Append(lost); err == nil {
		t.Fatal("an interval was lost without a word")
	}
	disk.left = 1 << 20
	if err := errors.Join(w.Append(later), w.Sync()); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	header, got, err := ReadLog(file)
	if err != nil || header.Torn {
		t.Errorf("torn %v, error %v", header.Torn, err)
	}
	if d := diff([]*Interval{first, later}, got); d != "" {
		t.Error(d)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// smallInterval has something of everything; fuzzing is slow with much.
func smallInterval() *Interval {
	c := NewCollector(CollectorOptions{})
	label := c.Label("x", RequestKind, "a")
	c.Record(&Sample{Label: label, Start: 5e6, End: 9e6, Flags: HasMetric | NewConnection, Metric: 3, Status: 200})
	c.Failure(&Sample{Label: label, Start: 1e6, Scheduled: 1e5, End: 2e6, Flags: Failed, Fault: FaultReset}, "gone")
	c.Load("x", true).RequestStarted(1)
	c.Event(Event{At: 3, Kind: "stop", Text: "enough"})
	return c.Swap(1)
}

func FuzzReadLog(f *testing.F) {
	var b bytes.Buffer
	w, err := NewLogWriter(&b, "run")
	if err != nil {
		f.Fatal(err)
	}
	for range 2 {
		if err := w.Append(smallInterval()); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()-9])
	f.Add([]byte(logMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, intervals, _ := ReadLog(bytes.NewReader(data))
		for _, iv := range intervals {
			useInterval(iv)
		}
	})
}

// FuzzDecodePayload goes past the checksums: whatever decodes can be used, and encodes to the same again.
func FuzzDecodePayload(f *testing.F) {
	f.Add(appendPayload(nil, smallInterval()))
	f.Add(appendPayload(nil, &Interval{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		iv, err := decodePayload(data)
		if err != nil {
			return
		}
		useInterval(iv)
		again, err := decodePayload(appendPayload(nil, iv))
		if err != nil {
			t.Fatal(err)
		}
		if d := diff(appendPayload(nil, iv), appendPayload(nil, again)); d != "" {
			t.Error(d)
		}
	})
}

// useInterval does with an interval what reports do; it must not panic.
func useInterval(iv *Interval) {
	s := NewSnapshot()
	s.Add(iv)
	s.Add(iv)
	for _, r := range s.Rows() {
		r.Service.Quantile(99)
		r.Response.Quantile(50)
		r.Response.ShareAtOrBelow(1e6)
		s.Rate(r)
	}
	s.Errors()
	s.Loads()
	_ = s.Health()
	_ = s.Reconcile()
}
