package api

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
)

// cursor is the place after which a page starts: the values of the order's keys of the last item seen.
// It needs no state on the server, and a page deep in the list costs what the first one does.
type cursor []value

// cursorOf returns the place of an item in an order.
func cursorOf(order []sortKey, it *Item) cursor {
	c := make(cursor, len(order))
	for i, k := range order {
		c[i] = k.of(it)
	}
	return c
}

// before reports whether the item comes after the cursor in the order.
func (c cursor) before(order []sortKey, it *Item) bool {
	for i, k := range order {
		if d := k.compareValues(c[i], k.of(it)); d != 0 {
			return d < 0
		}
	}
	return false
}

// token gives the opaque form: base64 of a JSON array of [kind, value] pairs.
func (c cursor) token() string {
	list := make([][2]any, len(c))
	for i, v := range c {
		list[i] = [2]any{v.kind, nil}
		switch v.kind {
		case kindText:
			list[i][1] = v.text
		case kindInstant:
			list[i][1] = strconv.FormatInt(v.time, 10)
		case kindNumber, kindBool:
			list[i][1] = v.num
		}
	}
	b, err := json.Marshal(list)
	if err != nil {
		return "" // cannot happen: numbers that came from JSON are finite
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseToken reads a token that was made for the same order.
func parseToken(token string, order []sortKey) (cursor, *Error) {
	fail := badParameter("token %q was not made by this server for this search", token)
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return nil, fail
	}
	var list [][2]any
	if json.Unmarshal(b, &list) != nil || len(list) != len(order) {
		return nil, fail
	}
	c := make(cursor, len(list))
	for i, pair := range list {
		k, ok := pair[0].(float64)
		if !ok || k < 0 || k > float64(kindText) || k != float64(int(k)) {
			return nil, fail
		}
		c[i].kind = kind(k)
		switch v := pair[1].(type) {
		case nil:
			ok = c[i].kind == kindNull
		case float64:
			c[i].num, ok = v, c[i].kind == kindNumber || c[i].kind == kindBool
		case string:
			switch c[i].kind {
			case kindText:
				c[i].text = v
			case kindInstant:
				c[i].time, err = strconv.ParseInt(v, 10, 64)
				ok = err == nil
			default:
				ok = false
			}
		default:
			ok = false
		}
		if !ok {
			return nil, fail
		}
	}
	return c, nil
}
