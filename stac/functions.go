package stac

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/stac/geo"
)

// Function is a function that templates may call, such as ${randomBbox("sample", 0.2, 1)}. The command
// puts the table into the template compiler, which this room does not know.
type Function struct {
	Name    string
	Params  string // as shown to people
	Doc     string // one sentence
	Example string
	MinArgs int
	MaxArgs int
	// Call computes a value; args are what expressions give: string, int, float64, bool, []any,
	// map[string]any. Lists and objects are given back as []any and map[string]any.
	Call func(rng *rand.Rand, args []any) (any, error)
}

// Functions returns the table.
func Functions() []Function {
	d := NewDrawer()
	return []Function{
		{
			Name: "randomBbox", Params: "area, minDeg, maxDeg", MinArgs: 3, MaxArgs: 3,
			Doc:     "a box inside an area, west, south, east, north, with sides between minDeg and maxDeg degrees; area is a name such as \"sample\", \"w,s,e,n\" or a list of these numbers",
			Example: `${randomBbox("sample", 0.2, 1)}`,
			Call: func(rng *rand.Rand, args []any) (any, error) {
				a := arguments{name: "randomBbox", args: args}
				box, err := d.RandomBbox(rng, a.area(0), a.number(1), a.number(2))
				return list(box), a.either(err)
			},
		},
		{
			Name: "randomPoint", Params: "area", MinArgs: 1, MaxArgs: 1,
			Doc: "a point inside an area, longitude and latitude", Example: `${randomPoint("sample")}`,
			Call: func(rng *rand.Rand, args []any) (any, error) {
				a := arguments{name: "randomPoint", args: args}
				point, err := d.RandomPoint(rng, a.area(0))
				return list(point), a.either(err)
			},
		},
		{
			Name: "boxPolygon", Params: "bbox", MinArgs: 1, MaxArgs: 1,
			Doc: "a box as a GeoJSON polygon", Example: `${boxPolygon(randomBbox("sample", 0.2, 1))}`,
			Call: func(_ *rand.Rand, args []any) (any, error) {
				a := arguments{name: "boxPolygon", args: args}
				b, err := geo.ParseBox(a.numbers(0))
				if err := a.either(err); err != nil {
					return nil, err
				}
				return polygon(b), nil
			},
		},
		{
			Name: "randomDatetime", Params: "from, to", MinArgs: 2, MaxArgs: 2,
			Doc: "an instant between two RFC 3339 times or days", Example: `${randomDatetime("2023-06-01", "2023-06-25")}`,
			Call: func(rng *rand.Rand, args []any) (any, error) {
				a := arguments{name: "randomDatetime", args: args}
				at, err := d.RandomDatetime(rng, a.text(0), a.text(1))
				return at, a.either(err)
			},
		},
		{
			Name: "randomInterval", Params: "from, to, days", MinArgs: 3, MaxArgs: 3,
			Doc:     "an interval that begins between two RFC 3339 times or days and is so many days long, for the datetime parameter",
			Example: `${randomInterval("2023-06-01", "2023-06-20", 5)}`,
			Call: func(rng *rand.Rand, args []any) (any, error) {
				a := arguments{name: "randomInterval", args: args}
				span, err := d.RandomInterval(rng, a.text(0), a.text(1), a.number(2))
				return span, a.either(err)
			},
		},
		{
			Name: "sampleItem", Params: "n", MinArgs: 1, MaxArgs: 1,
			Doc: "the id of generated item n, counted from 0", Example: `${sampleItem(7)}`,
			Call: func(_ *rand.Rand, args []any) (any, error) {
				a := arguments{name: "sampleItem", args: args}
				id, err := d.SampleItem(int(a.number(0)))
				return id, a.either(err)
			},
		},
		{
			Name: "randomItem", Params: "count", MinArgs: 1, MaxArgs: 1,
			Doc: "the id of one of the first count generated items", Example: `${randomItem(100)}`,
			Call: func(rng *rand.Rand, args []any) (any, error) {
				a := arguments{name: "randomItem", args: args}
				count := int(a.number(0))
				if a.err == nil && count < 1 {
					return nil, fmt.Errorf("randomItem: the count %d is below 1", count)
				}
				if a.err != nil {
					return nil, a.err
				}
				return d.SampleItem(rng.IntN(count))
			},
		},
		{
			Name: "commas", Params: "list", MinArgs: 1, MaxArgs: 1,
			Doc: "the elements of a list with commas between, as GET parameters want them", Example: `${commas(randomBbox("sample", 0.2, 1))}`,
			Call: func(_ *rand.Rand, args []any) (any, error) { return commas(args[0]) },
		},
	}
}

// RandomInterval draws an interval "a/b" of the given length in days (fractions allowed) whose start lies
// between two times.
func (d *Drawer) RandomInterval(rng *rand.Rand, from, to string, days float64) (string, error) {
	if !(days >= 0) || days > 36500 {
		return "", fmt.Errorf("randomInterval: %v days is no length within 0…36500", days)
	}
	start, err := d.RandomDatetime(rng, from, to)
	if err != nil {
		return "", err
	}
	at, err := time.Parse(time.RFC3339, start)
	if err != nil {
		return "", err
	}
	return start + "/" + at.Add(time.Duration(days*float64(24*time.Hour))).Format(time.RFC3339), nil
}

// arguments converts what expressions give and keeps the first thing that is wrong.
type arguments struct {
	name string
	args []any
	err  error
}

func (a *arguments) fail(i int, want string) {
	if a.err == nil {
		a.err = fmt.Errorf("%s: argument %d is %v, not %s", a.name, i+1, a.args[i], want)
	}
}

// either returns what was wrong with the arguments, else err.
func (a *arguments) either(err error) error {
	if a.err != nil {
		return a.err
	}
	return err
}

func (a *arguments) text(i int) string {
	s, ok := a.args[i].(string)
	if !ok {
		a.fail(i, "a text")
	}
	return s
}

// area takes a name, "w,s,e,n", a list of four numbers, or such a list as JSON, as an extractor gives it.
func (a *arguments) area(i int) string {
	if _, isList := a.args[i].([]any); isList {
		s, err := commas(a.args[i])
		if err != nil {
			a.fail(i, "an area")
			return ""
		}
		return s
	}
	return strings.Trim(a.text(i), "[]")
}

func (a *arguments) number(i int) float64 {
	n, ok := asNumber(a.args[i])
	if !ok {
		a.fail(i, "a number")
	}
	return n
}

func (a *arguments) numbers(i int) []float64 {
	elements, ok := a.args[i].([]any)
	if !ok {
		a.fail(i, "a list of numbers")
		return nil
	}
	var numbers []float64
	for _, e := range elements {
		n, ok := asNumber(e)
		if !ok {
			a.fail(i, "a list of numbers")
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// asNumber takes numbers and, because variables are often text, texts that are numbers.
func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case string:
		n, err := strconv.ParseFloat(v, 64)
		return n, err == nil
	}
	return 0, false
}

func list(numbers []float64) []any {
	out := make([]any, len(numbers))
	for i, n := range numbers {
		out[i] = n
	}
	return out
}

func polygon(b geo.Box) map[string]any {
	corner := func(lon, lat float64) any { return []any{lon, lat} }
	ring := []any{
		corner(b.West, b.South), corner(b.East, b.South), corner(b.East, b.North), corner(b.West, b.North), corner(b.West, b.South),
	}
	return map[string]any{"type": "Polygon", "coordinates": []any{ring}}
}

func commas(v any) (string, error) {
	elements, ok := v.([]any)
	if !ok {
		return "", fmt.Errorf("commas: argument 1 is %v, not a list", v)
	}
	parts := make([]string, len(elements))
	for i, e := range elements {
		switch e := e.(type) {
		case string:
			parts[i] = e
		case float64:
			parts[i] = string(geo.AppendDegrees(nil, e))
		default:
			parts[i] = fmt.Sprint(e)
		}
	}
	return strings.Join(parts, ","), nil
}
