package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// decodeExact decodes one JSON value with numbers as they were written. Of members with the same name the last one counts.
func decodeExact(text []byte) (any, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	tree, err := decodeValue(d)
	if err != nil {
		return nil, notJSON(text, err)
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errors.New("the body is not JSON: text follows the value")
	}
	return tree, nil
}

// decodeValue reads the next value: what encoding/json makes of it in an any, in half of its time.
func decodeValue(d *jsontext.Decoder) (any, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return decodeObject(d)
	case '[':
		return decodeList(d)
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case 't':
		return true, nil
	case 'f':
		return false, nil
	}
	return nil, nil
}

func decodeObject(d *jsontext.Decoder) (any, error) {
	object := map[string]any{}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String() // the token is gone with the next one
		if object[name], err = decodeValue(d); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return object, err
}

func decodeList(d *jsontext.Decoder) (any, error) {
	list := []any{}
	for d.PeekKind() != ']' {
		value, err := decodeValue(d)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := d.ReadToken()
	return list, err
}

// notJSON says why a body is not JSON, so that an error page is recognised.
func notJSON(body []byte, err error) error {
	trimmed := bytes.TrimSpace(body)
	switch {
	case len(trimmed) == 0:
		return errors.New("the body is empty, not JSON")
	case trimmed[0] == '<':
		return fmt.Errorf("the body is not JSON: it begins with %q", shorten(string(trimmed[:min(len(trimmed), 80)]), 40))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the body is not JSON: it ends too early")
	}
	return fmt.Errorf("the body is not JSON: %w", err)
}
