package template

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

var timeFunctions = []jmeter{
	{
		name: "__time", params: "[format][,variable]", min: 0, max: 2, variable: 1,
		doc:     "the time: milliseconds since 1970, with /1000 seconds, else in a format such as yyyy-MM-dd'T'HH:mm:ss, YMD, HMS or YMDHMS, local time",
		example: "${__time(yyyy-MM-dd)}",
		prepare: func(k *call, args []string) error {
			clock, err := parseClock(first(args))
			if k.state, k.fn = clock, &formattedTime; err == nil && clock.format == nil {
				k.fn = &countedTime
			}
			return err
		},
		value: func(c *Context, k *call, args []string) (Value, error) {
			clock, err := parseClock(first(args))
			switch {
			case err != nil:
				return Value{}, err
			case clock.format == nil:
				return Int(clock.count(c)), nil
			}
			return String(string(clock.write(nil, c))), nil
		},
	},
	{
		name: "__timeShift", params: "format,date,shift[,locale][,variable]", min: 1, max: 5, variable: 4,
		doc:     "a date moved by a duration such as P1D or -PT2H; without date now, without format milliseconds since 1970",
		example: "${__timeShift(yyyy-MM-dd,,-P7D)}",
		prepare: func(k *call, args []string) error {
			if _, err := shiftedTime(args, time.Now); err != nil {
				return err
			}
			return nil
		},
		text: func(dst []byte, c *Context, k *call, args []string) ([]byte, error) {
			t, err := shiftedTime(args, c.Now)
			if err != nil {
				return dst, err
			}
			if args[0] == "" {
				return strconv.AppendInt(dst, t.UnixMilli(), 10), nil
			}
			format, err := parseDateFormat(args[0])
			if err != nil {
				return dst, err
			}
			return format.append(dst, t.Local()), nil
		},
	},
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// clock is how __time writes.
type clock struct {
	format dateFormat // nil: a number
	divide int64      // of milliseconds
}

// clockAliases are the short names of formats that __time knows.
var clockAliases = map[string]string{"YMD": "yyyyMMdd", "HMS": "HHmmss", "YMDHMS": "yyyyMMdd-HHmmss"}

func (k *clock) count(c *Context) int64 { return c.Now().UnixMilli() / k.divide }

func (k *clock) write(dst []byte, c *Context) []byte { return k.format.append(dst, c.Now().Local()) }

// countedTime and formattedTime are __time where its format is known while compiling.
var (
	countedTime = jmeter{name: "__time", number: func(c *Context, k *call, _ []string) (int64, error) {
		return k.state.(*clock).count(c), nil
	}}
	formattedTime = jmeter{name: "__time", text: func(dst []byte, c *Context, k *call, _ []string) ([]byte, error) {
		return k.state.(*clock).write(dst, c), nil
	}}
)

func parseClock(format string) (*clock, error) {
	if format == "" {
		return &clock{divide: 1}, nil
	}
	if divisor, ok := strings.CutPrefix(format, "/"); ok {
		n, err := strconv.ParseInt(strings.TrimSpace(divisor), 10, 64)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%q is not a divisor such as /1000", format)
		}
		return &clock{divide: n}, nil
	}
	if long, ok := clockAliases[format]; ok {
		format = long
	}
	compiled, err := parseDateFormat(format)
	return &clock{format: compiled, divide: 1}, err
}

// shiftedTime computes the time that __timeShift is about.
func shiftedTime(args []string, now func() time.Time) (time.Time, error) {
	argument := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	t := now()
	if date := argument(1); date != "" {
		var err error
		if t, err = parseShiftDate(argument(0), date); err != nil {
			return t, err
		}
	}
	shift, err := parseShift(argument(2))
	if err != nil {
		return t, err
	}
	if format := argument(0); format != "" {
		if _, err := parseDateFormat(format); err != nil {
			return t, err
		}
	}
	return t.Add(shift), nil
}

func parseShiftDate(format, date string) (time.Time, error) {
	if format == "" {
		n, err := wholeNumber(date)
		return time.UnixMilli(n), err
	}
	compiled, err := parseDateFormat(format)
	if err != nil {
		return time.Time{}, err
	}
	return compiled.parse(date, time.Local)
}
