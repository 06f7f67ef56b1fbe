// Package jsonbody reads the small JSON bodies of commands that are sent over HTTP, and says what is wrong with one in the words of who
// sent it. It imports no room.
package jsonbody

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
)

// ErrEmpty is the body that is not there.
var ErrEmpty = errors.New("it is empty")

// Read decodes a body of at most limit bytes that is one JSON object and nothing else, without fields that into does not have. code is
// the status to answer with where there is an error.
func Read(w http.ResponseWriter, r *http.Request, limit int64, into any) (code int, err error) {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err == nil {
		if _, end := decoder.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("something follows the JSON object")
		}
	}
	var tooLong *http.MaxBytesError
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == nil:
		return http.StatusOK, nil
	case errors.As(err, &tooLong):
		return http.StatusRequestEntityTooLarge, errors.New("it is too long")
	case errors.Is(err, io.EOF):
		return http.StatusBadRequest, ErrEmpty
	case errors.Is(err, io.ErrUnexpectedEOF):
		return http.StatusBadRequest, errors.New("it ends too early")
	case errors.As(err, &mismatch):
		return http.StatusBadRequest, errors.New(mistaken(mismatch))
	}
	return http.StatusBadRequest, errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// mistaken says what stands where something else is meant.
func mistaken(m *json.UnmarshalTypeError) string {
	given, isNumber := strings.CutPrefix(m.Value, "number ")
	if !isNumber {
		given = map[string]string{"string": "a text", "number": "a number", "bool": "true or false", "array": "a list", "object": "an object"}[m.Value]
	}
	if m.Field == "" {
		return "it is a JSON object, not " + given
	}
	wanted := "a text"
	switch m.Type.Kind() {
	case reflect.Int, reflect.Int64:
		wanted = "a whole number"
	case reflect.Float64:
		wanted = "a number"
	case reflect.Slice:
		wanted = "a list"
	}
	return m.Field + " is " + wanted + ", not " + given
}
