package template

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

var randomFunctions = []jmeter{
	{
		name: "__Random", params: "min,max[,variable]", min: 2, max: 3, variable: 2,
		doc:     "a random whole number, both ends included",
		example: "${__Random(1,6)}",
		prepare: func(k *call, args []string) error {
			low, high, err := randomRange(args)
			k.state = [2]int64{low, high}
			return err
		},
		number: func(c *Context, k *call, args []string) (int64, error) {
			low, high := int64(0), int64(0)
			if ready, ok := k.state.([2]int64); ok {
				low, high = ready[0], ready[1]
			} else {
				var err error
				if low, high, err = randomRange(args); err != nil {
					return 0, err
				}
			}
			return low + int64(c.Rand.Uint64N(uint64(high-low)+1)), nil
		},
	},
	{
		name: "__RandomString", params: "length[,characters][,variable]", min: 1, max: 3, variable: 2,
		doc:     "a random string; without characters of letters and digits",
		example: "${__RandomString(8,abcdef)}",
		prepare: func(k *call, args []string) error {
			_, err := randomLength(args)
			return err
		},
		text: func(dst []byte, c *Context, k *call, args []string) ([]byte, error) {
			n, err := randomLength(args)
			if err != nil {
				return dst, err
			}
			characters := alphanumeric
			if len(args) > 1 && args[1] != "" {
				characters = args[1]
			}
			return appendRandomString(dst, c, n, characters), nil
		},
	},
	{
		name: "__UUID", min: 0, max: 0,
		doc:     "a random UUID, version 4",
		example: "${__UUID()}",
		text: func(dst []byte, c *Context, k *call, args []string) ([]byte, error) {
			return appendUUID(dst, c.Rand.Uint64(), c.Rand.Uint64()), nil
		},
	},
	{
		name: "__chooseRandom", params: "a,b,…,variable", min: 2, max: -1, variable: lastArgument,
		doc:     "one of the arguments; the last argument is the variable that receives it",
		example: "${__chooseRandom(red,green,blue,colour)}",
		text: func(dst []byte, c *Context, k *call, args []string) ([]byte, error) {
			choices := args
			if !k.sets && len(args) > 1 {
				choices = args[:len(args)-1]
			}
			return append(dst, choices[c.Rand.IntN(len(choices))]...), nil
		},
	},
}

func randomRange(args []string) (low, high int64, err error) {
	if low, err = wholeNumber(args[0]); err != nil {
		return 0, 0, err
	}
	if high, err = wholeNumber(args[1]); err != nil {
		return 0, 0, err
	}
	switch {
	case low > high:
		err = fmt.Errorf("the range from %d to %d is empty", low, high)
	case uint64(high-low) == math.MaxUint64:
		err = fmt.Errorf("the range from %d to %d is too large", low, high)
	}
	return low, high, err
}

// wholeNumber reads an argument that must be a whole number.
func wholeNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	return n, nil
}

// maxRandomString bounds the length of a random string, in characters.
const maxRandomString = 16 << 20

func randomLength(args []string) (int, error) {
	n, err := wholeNumber(args[0])
	if err != nil {
		return 0, err
	}
	if n < 0 || n > maxRandomString {
		return 0, fmt.Errorf("the length %d is not between 0 and %d", n, maxRandomString)
	}
	return int(n), nil
}

func appendRandomString(dst []byte, c *Context, n int, characters string) []byte {
	if len(characters) == utf8.RuneCountInString(characters) {
		for range n {
			dst = append(dst, characters[c.Rand.IntN(len(characters))])
		}
		return dst
	}
	runes := []rune(characters)
	for range n {
		dst = utf8.AppendRune(dst, runes[c.Rand.IntN(len(runes))])
	}
	return dst
}

// appendUUID writes a version 4 UUID (RFC 9562) made of 122 of the given bits.
func appendUUID(dst []byte, high, low uint64) []byte {
	high = high&^0xf000 | 0x4000
	low = low&^(3<<62) | 2<<62
	for i := range 32 {
		switch i {
		case 8, 12, 16, 20:
			dst = append(dst, '-')
		}
		word := high
		if i >= 16 {
			word = low
		}
		dst = append(dst, hexDigits[word>>(60-4*(i%16))&15])
	}
	return dst
}
