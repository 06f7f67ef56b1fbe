package metrics

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// LogVersion is the version of the interval log and of the encoding of intervals.
const LogVersion = 1

// logMagic is the first line of every log. A frame with the header follows, then one per interval.
const logMagic = "stacrun interval log 1\n"

// Header begins an interval log.
type Header struct {
	Version int             `json:"version"`
	Run     json.RawMessage `json:"run,omitempty"` // what the session says of the run
	Torn    bool            `json:"-"`             // the last interval is cut off, as by a kill; known once the end was read
}

// LogWriter appends intervals to a log. Each Append is one write, so that a killed process leaves all earlier ones readable.
// It is for one goroutine.
type LogWriter struct {
	w     io.Writer
	codec *Codec
	frame []byte
	size  int64 // bytes of whole frames written
	err   error // what was written last is incomplete and could not be taken back
}

// NewLogWriter writes the header; run is marshalled as JSON and may be nil.
func NewLogWriter(w io.Writer, run any) (*LogWriter, error) {
	header := Header{Version: LogVersion}
	if run != nil {
		text, err := json.Marshal(run)
		if err != nil {
			return nil, fmt.Errorf("describe run in interval log: %w", err)
		}
		header.Run = text
	}
	text, err := json.Marshal(header)
	if err != nil {
		return nil, fmt.Errorf("describe run in interval log: %w", err)
	}
	l := &LogWriter{w: w, codec: NewCodec()}
	if err := l.write(appendFrame([]byte(logMagic), frameHeader, text)); err != nil {
		return nil, err
	}
	return l, nil
}

// Append writes one interval. After an error the log ends with the interval before, and Append may be tried again.
func (l *LogWriter) Append(iv *Interval) error {
	if l.err != nil {
		return l.err
	}
	var err error
	if l.frame, err = l.codec.Append(l.frame[:0], iv); err != nil {
		return err
	}
	return l.write(l.frame)
}

// write writes all of it or takes back what it wrote, so that later frames do not stand behind half a one.
func (l *LogWriter) write(b []byte) error {
	n, err := l.w.Write(b)
	if err == nil {
		l.size += int64(len(b))
		return nil
	}
	err = fmt.Errorf("write interval log: %w", err)
	if n > 0 {
		file, ok := l.w.(interface {
			io.Seeker
			Truncate(size int64) error
		})
		if !ok || file.Truncate(l.size) != nil {
			l.err = err
		} else if _, seekErr := file.Seek(l.size, io.SeekStart); seekErr != nil {
			l.err = err
		}
	}
	return err
}

// Sync forces what was appended to the disk, if the log is a file.
func (l *LogWriter) Sync() error {
	if file, ok := l.w.(interface{ Sync() error }); ok {
		return file.Sync()
	}
	return nil
}

// Close closes the file, if the log is one.
func (l *LogWriter) Close() error {
	l.codec.Close()
	if file, ok := l.w.(io.Closer); ok {
		return file.Close()
	}
	return nil
}

// CorruptError says where a log cannot be read any further.
type CorruptError struct {
	Offset int64 // bytes from the beginning of the log
	Err    error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("interval log is damaged at byte %d: %v", e.Offset, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// LogReader reads a log interval by interval.
type LogReader struct {
	header Header
	r      *bufio.Reader
	codec  *Codec
	frame  []byte
	offset int64 // of the next frame
	err    error
}

// NewLogReader reads the header of a log.
func NewLogReader(r io.Reader) (*LogReader, error) {
	l := &LogReader{r: bufio.NewReaderSize(r, 64<<10), codec: NewCodec()}
	magic := make([]byte, len(logMagic))
	n, err := io.ReadFull(l.r, magic)
	switch {
	case !bytes.Equal(magic[:n], []byte(logMagic)[:n]):
		return nil, errors.New("not an interval log of this version: it does not begin with " + fmt.Sprintf("%q", logMagic))
	case err != nil:
		return nil, errors.New("interval log ends within its header")
	}
	l.offset = int64(n)
	flags, text, err := l.next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("interval log ends within its header")
	case err != nil:
		return nil, err
	case flags != frameHeader:
		return nil, &CorruptError{int64(n), errors.New("no header")}
	}
	if err := json.Unmarshal(text, &l.header); err != nil {
		return nil, &CorruptError{int64(n), fmt.Errorf("header: %w", err)}
	}
	if l.header.Version != LogVersion {
		return nil, fmt.Errorf("interval log of version %d, this program reads version %d", l.header.Version, LogVersion)
	}
	return l, nil
}

// Header returns the header. Torn is known once Next has returned [io.EOF].
func (l *LogReader) Header() Header { return l.header }

// Next returns the next interval; [io.EOF] at the end, also when the last one is cut off; a [CorruptError] where the log is damaged otherwise.
func (l *LogReader) Next() (*Interval, error) {
	if l.err != nil {
		return nil, l.err
	}
	at := l.offset
	flags, payload, err := l.next()
	if err != nil {
		l.err = err
		return nil, err
	}
	iv, err := l.codec.interval(flags, payload)
	if err != nil {
		l.err = &CorruptError{at, err}
		return nil, l.err
	}
	return iv, nil
}

// Close lets go of the reader's memory; what it reads from is the caller's.
func (l *LogReader) Close() { l.codec.Close() }

// next reads a frame; the payload is valid until the next call.
func (l *LogReader) next() (flags byte, payload []byte, err error) {
	head, err := l.r.Peek(frameHead)
	if len(head) == 0 {
		return 0, nil, l.end(err)
	}
	n, err := frameLength(head)
	if err != nil {
		if l.torn(err) {
			return 0, nil, io.EOF
		}
		return 0, nil, &CorruptError{l.offset, err}
	}
	// What is announced is read as it comes, so that a wrong length does not cost its memory.
	l.frame = l.frame[:0]
	buffer := bytes.NewBuffer(l.frame)
	got, err := io.CopyN(buffer, l.r, int64(n))
	l.frame = buffer.Bytes()
	if got < int64(n) {
		l.header.Torn = true
		return 0, nil, l.end(err)
	}
	flags, payload, _, err = cutFrame(l.frame)
	if err != nil {
		// A last frame that is whole in length but wrong in content was not yet on the disk when the machine stopped.
		if _, more := l.r.Peek(1); errors.Is(more, io.EOF) {
			l.header.Torn = true
			return 0, nil, io.EOF
		}
		return 0, nil, &CorruptError{l.offset, err}
	}
	l.offset += int64(n)
	return flags, payload, nil
}

// end tells the end of the log from an error of reading it.
func (l *LogReader) end(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("read interval log: %w", err)
}

// torn says whether what is left is the beginning of a frame, or zeros that a file system left for one.
func (l *LogReader) torn(reason error) bool {
	if errors.Is(reason, errTorn) {
		l.header.Torn = true
		return true
	}
	for {
		b, err := l.r.ReadByte()
		if errors.Is(err, io.EOF) {
			l.header.Torn = true
			return true
		}
		if err != nil || b != 0 {
			return false
		}
	}
}

// ReadLog reads a whole log. An interval that is cut off at the end is left out and marked in the header; other damage
// is an error, beside the intervals before it.
func ReadLog(r io.Reader) (Header, []*Interval, error) {
	l, err := NewLogReader(r)
	if err != nil {
		return Header{}, nil, err
	}
	defer l.Close()
	var intervals []*Interval
	for {
		iv, err := l.Next()
		if errors.Is(err, io.EOF) {
			return l.header, intervals, nil
		}
		if err != nil {
			return l.header, intervals, err
		}
		intervals = append(intervals, iv)
	}
}
