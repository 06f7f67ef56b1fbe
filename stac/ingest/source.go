package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Source is a collection and its items. Items may be ranged over more than once and yields the same each time.
type Source struct {
	Collection []byte // document; nil: none, and a plain one is made where the collection does not exist
	Items      iter.Seq2[[]byte, error]
	Count      int    // number of items; -1: not known
	Name       string // of the file or folder; "" for items that are made
}

// firstItem looks at the first item, before anything is sent: a source of files that holds none is a mistake.
func firstItem(s Source) ([]byte, error) {
	for first, err := range s.Items {
		return first, err
	}
	if s.Name != "" && s.Collection == nil {
		return nil, fmt.Errorf("items %s: there is no item in it: want a GeoJSON FeatureCollection, an Item, or NDJSON with an Item a line", s.Name)
	}
	return nil, nil
}

// Open reads a file or all files of a folder (not of those below it): a GeoJSON FeatureCollection, a single
// Item, or NDJSON with one Item a line. A Collection document among them is used as such; in a file of
// its own it is known by its type or, where that was left out, by its extent.
func Open(name string) (Source, error) {
	files, err := list(name)
	if err != nil {
		return Source{}, err
	}
	s := Source{Count: -1, Name: name}
	s.Items = func(yield func([]byte, error) bool) {
		for _, file := range files {
			if !readItems(file, yield) {
				return
			}
		}
	}
	for _, file := range files {
		document, err := readCollection(file)
		switch {
		case err != nil:
			return Source{}, err
		case document != nil && s.Collection != nil:
			return Source{}, fmt.Errorf("%s: a second collection; ingest one at a time", file)
		case document != nil:
			s.Collection = document
		}
	}
	return s, nil
}

func list(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("items %s: %w", name, errors.Unwrap(err))
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fmt.Errorf("items %s: %w", name, err)
	}
	var files []string
	for _, e := range entries {
		ext := strings.ToLower(filepath.Ext(e.Name()))
		if e.Type()&fs.ModeType == 0 && slices.Contains([]string{".json", ".geojson", ".ndjson", ".jsonl"}, ext) {
			files = append(files, filepath.Join(name, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("items %s: the folder holds no .json, .geojson, .ndjson or .jsonl file", name)
	}
	return files, nil
}

// maxCollection bounds the file of a collection document; bigger files hold items.
const maxCollection = 8 << 20

// readCollection returns the document when the file is a collection, else nil.
func readCollection(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil || info.Size() > maxCollection || !info.Mode().IsRegular() { // a pipe can be read once
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if isCollection(text) {
		return text, nil
	}
	return nil, nil
}

func isCollection(text []byte) bool {
	if !gjson.ValidBytes(text) {
		return false
	}
	root := gjson.ParseBytes(text)
	kind := root.Get("type").String()
	return kind == "Collection" || kind == "" && root.Get("extent").IsObject() && root.Get("id").Exists()
}

// readItems yields the items of one file and reports whether to go on.
func readItems(name string, yield func([]byte, error) bool) bool {
	f, err := os.Open(name)
	if err != nil {
		return yield(nil, err)
	}
	defer f.Close()
	reader := bufio.NewReaderSize(f, 1<<20)
	if bom, err := reader.Peek(3); err == nil && bytes.Equal(bom, []byte("\xEF\xBB\xBF")) {
		_, _ = reader.Discard(3)
	}
	d := json.NewDecoder(reader)
	for {
		goOn, err := readValue(d, yield)
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return yield(nil, fmt.Errorf("%s: byte %d: %w", name, d.InputOffset(), err)) && false
		case !goOn:
			return false
		}
	}
}

// readValue reads one top-level value: the features of a FeatureCollection one by one, or an Item whole.
// The members before `features` are kept, in case that the object turns out to be an Item.
func readValue(d *json.Decoder, yield func([]byte, error) bool) (bool, error) {
	opening, err := d.Token()
	if err != nil {
		return false, err
	}
	if opening != json.Delim('{') {
		return false, fmt.Errorf("found %v where an object should begin", opening)
	}
	object := []byte{'{'}
	collection := false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return false, noEnd(err)
		}
		if key == "features" {
			collection = true
			if goOn, err := readFeatures(d, yield); err != nil || !goOn {
				return goOn, noEnd(err)
			}
			continue
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return false, noEnd(err)
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return false, err
		}
		object = append(append(append(object, name...), ':'), raw...)
	}
	if _, err := d.Token(); err != nil {
		return false, noEnd(err)
	}
	object = append(object, '}')
	if collection || isCollection(object) {
		return true, nil
	}
	if kind := gjson.GetBytes(object, "type").String(); kind != "Feature" {
		return false, fmt.Errorf("found an object of type %q, not a Feature or FeatureCollection", kind)
	}
	return yield(object, nil), nil
}

func readFeatures(d *json.Decoder, yield func([]byte, error) bool) (bool, error) {
	opening, err := d.Token()
	if err != nil {
		return false, err
	}
	if opening != json.Delim('[') {
		return false, errors.New("features is not an array")
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return false, err
		}
		if !yield(bytes.Clone(raw), nil) {
			return false, nil
		}
	}
	_, err = d.Token()
	return true, err
}

// noEnd tells the end of a file inside a value from the end of a file.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
