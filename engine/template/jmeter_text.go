package template

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textual makes a function of one text with an optional variable.
func textual(name, doc, example string, convert func(string) (string, error)) jmeter {
	return jmeter{
		name: name, params: "text[,variable]", min: 1, max: 2, variable: 1, doc: doc, example: example,
		prepare: func(_ *call, args []string) error {
			_, err := convert(args[0])
			return err
		},
		text: func(dst []byte, _ *Context, _ *call, args []string) ([]byte, error) {
			s, err := convert(args[0])
			return append(dst, s...), err
		},
	}
}

var textFunctions = []jmeter{
	textual("__urlencode", "a text escaped for a query string", "${__urlencode(a b&c)}", func(s string) (string, error) {
		return string(appendPercent(nil, s, &unreserved, true)), nil
	}),
	textual("__urldecode", "the text that was escaped for a query string", "${__urldecode(a+b%26c)}", url.QueryUnescape),
	textual("__base64Encode", "a text in base64", "Basic ${__base64Encode(user:password)}", func(s string) (string, error) {
		return base64.StdEncoding.EncodeToString([]byte(s)), nil
	}),
	textual("__base64Decode", "the text that was written in base64", "${__base64Decode(dXNlcg==)}", func(s string) (string, error) {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return "", fmt.Errorf("%q is not base64", s)
		}
		return string(b), nil
	}),
	textual("__escapeHtml", "a text escaped for HTML", "${__escapeHtml(a<b)}", func(s string) (string, error) {
		return html.EscapeString(s), nil
	}),
	textual("__unescapeHtml", "the text that was escaped for HTML", "${__unescapeHtml(a&lt;b)}", func(s string) (string, error) {
		return html.UnescapeString(s), nil
	}),
	textual("__escapeXml", "a text escaped for XML", "${__escapeXml(a<b)}", func(s string) (string, error) {
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(s), nil
	}),
	textual("__unescape", `a text with its \n, \t, \u0041 … replaced`, `${__unescape(a\\tb)}`, unescape),
	textual("__uppercase", "a text in upper case", "${__uppercase(abc)}", func(s string) (string, error) { return strings.ToUpper(s), nil }),
	textual("__lowercase", "a text in lower case", "${__lowercase(ABC)}", func(s string) (string, error) { return strings.ToLower(s), nil }),
	textual("__md5", "the MD5 digest of a text, in hexadecimal", "${__md5(abc)}", func(s string) (string, error) {
		return digest("MD5", s)
	}),
	{
		name: "__strLen", params: "text[,variable]", min: 1, max: 2, variable: 1,
		doc: "the number of characters of a text", example: "${__strLen(${name})}",
		number: func(_ *Context, _ *call, args []string) (int64, error) {
			return int64(utf8.RuneCountInString(args[0])), nil
		},
	},
	{
		name: "__substring", params: "text,from,to[,variable]", min: 3, max: 4, variable: 3,
		doc: "the characters from one index (from 0) up to another, that one excluded", example: "${__substring(abcdef,1,3)}",
		text: func(dst []byte, _ *Context, _ *call, args []string) ([]byte, error) {
			return appendSubstring(dst, args)
		},
	},
	{
		name: "__changeCase", params: "text[,mode][,variable]", min: 1, max: 3, variable: 2,
		doc: "a text in another case: UPPER (default), LOWER or CAPITALIZE", example: "${__changeCase(abc,UPPER)}",
		text: func(dst []byte, _ *Context, _ *call, args []string) ([]byte, error) {
			s, err := changeCase(args)
			return append(dst, s...), err
		},
	},
	{
		name: "__digest", params: "algorithm,text[,salt][,upper][,variable]", min: 2, max: 5, variable: 4,
		doc: "a digest in hexadecimal: MD5, SHA-1, SHA-224, SHA-256, SHA-384 or SHA-512", example: "${__digest(SHA-256,abc)}",
		prepare: func(_ *call, args []string) error { _, err := digest(args[0], ""); return err },
		text: func(dst []byte, _ *Context, _ *call, args []string) ([]byte, error) {
			text := args[1]
			if len(args) > 2 {
				text += args[2]
			}
			s, err := digest(args[0], text)
			if len(args) > 3 && trueText(args[3]) {
				s = strings.ToUpper(s)
			}
			return append(dst, s...), err
		},
	},
	{
		name: "__char", params: "number,…", min: 1, max: -1,
		doc: "characters by their numbers, decimal or hexadecimal", example: "${__char(0xE9)}",
		text: func(dst []byte, _ *Context, _ *call, args []string) ([]byte, error) {
			for _, arg := range args {
				n, err := strconv.ParseInt(arg, 0, 32)
				if err != nil {
					return dst, fmt.Errorf("%q is not the number of a character", arg)
				}
				dst = utf8.AppendRune(dst, rune(n))
			}
			return dst, nil
		},
	},
}

func unescape(s string) (string, error) {
	unquoted, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	if err != nil {
		return "", fmt.Errorf("%q holds an unknown escape", s)
	}
	return unquoted, nil
}

func appendSubstring(dst []byte, args []string) ([]byte, error) {
	runes := []rune(args[0])
	from, err := wholeNumber(args[1])
	if err != nil {
		return dst, err
	}
	to, err := wholeNumber(args[2])
	if err != nil {
		return dst, err
	}
	if from < 0 || to < from || to > int64(len(runes)) {
		return dst, fmt.Errorf("characters %d to %d do not exist in a text of %d", from, to, len(runes))
	}
	return append(dst, string(runes[from:to])...), nil
}

func changeCase(args []string) (string, error) {
	mode := "UPPER"
	if len(args) > 1 && args[1] != "" {
		mode = strings.ToUpper(args[1])
	}
	switch mode {
	case "UPPER":
		return strings.ToUpper(args[0]), nil
	case "LOWER":
		return strings.ToLower(args[0]), nil
	case "CAPITALIZE":
		r, size := utf8.DecodeRuneInString(args[0])
		if size == 0 {
			return "", nil
		}
		return string(unicode.ToTitle(r)) + args[0][size:], nil
	}
	return "", fmt.Errorf("the mode %q is none of UPPER, LOWER and CAPITALIZE", args[1])
}

func digest(algorithm, text string) (string, error) {
	var h hash.Hash
	switch strings.ReplaceAll(strings.ToUpper(algorithm), "-", "") {
	case "MD5":
		h = md5.New()
	case "SHA1", "SHA":
		h = sha1.New()
	case "SHA224":
		h = sha256.New224()
	case "SHA256":
		h = sha256.New()
	case "SHA384":
		h = sha512.New384()
	case "SHA512":
		h = sha512.New()
	default:
		return "", fmt.Errorf("unknown digest %q; there are MD5, SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512", algorithm)
	}
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil)), nil
}
