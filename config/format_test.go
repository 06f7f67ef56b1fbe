package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func format(t *testing.T, n *Node, o FormatOptions) string {
	t.Helper()
	var b strings.Builder
	if err := Format(&b, n, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormat(t *testing.T) {
	doc := parseOne(t, "f.yml", `b: {x: 1, y: [], z: {}}
a:
- p: 00123
  q: "00123"
- [1, [2, {k: v}]]
- 'yes'
- yes
- "null"
-
text: "a: b"
block: |
  one
    two # no comment

  three
keep: "x\n\n"
odd: "\tx\n y \x85"
"key: odd": "it's"
200: "12:30"
`)
	want := `b:
  x: 1
  "y": []
  z: {}
`
	want = strings.ReplaceAll(want, `"y"`, "y") + `a:
  - p: 00123
    q: "00123"
  - - 1
    - - 2
      - k: v
  - "yes"
  - yes
  - "null"
  - null
text: "a: b"
block: |
  one
    two # no comment

  three
keep: |+
  x

odd: "\tx\n y \u0085"
"key: odd": it's
200: "12:30"
`
	if diff := cmp.Diff(want, format(t, doc, FormatOptions{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	roundTrip(t, doc)
}

func TestFormatJSON(t *testing.T) {
	doc := parseOne(t, "f.yml", "b: 1.50\na: [00123, 0x1f, .5, '1', yes, true, null, 2020-01-01, \"<&>\"]\nc: {}\nd: []\ne: 12345678901234567890\n")
	want := `{
  "b": 1.50,
  "a": [
    "00123",
    31,
    0.5,
    "1",
    "yes",
    true,
    null,
    "2020-01-01",
    "<&>"
  ],
  "c": {},
  "d": [],
  "e": 12345678901234567890
}
`
	if diff := cmp.Diff(want, format(t, doc, FormatOptions{JSON: true})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFormatOrigins(t *testing.T) {
	doc, _ := Merge(
		parseOne(t, "a.yml", "settings:\n  seed: 1\nlist:\n- x\n- text: |\n    one\n    two\n"),
		parseOne(t, "b.yml", "settings: {seed: 2}\nlist: [y]"),
	)
	want := `settings:  # a.yml:1
  seed: 2  # b.yml:1, hides a.yml:2
list:  # a.yml:3
  - x  # a.yml:4
  - text: |  # a.yml:5
      one
      two
  - y  # b.yml:2
`
	got := format(t, doc, FormatOptions{Origins: true})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := parseOne(t, "again", got); show(again) != show(doc) {
		t.Errorf("reads back as %s", show(again))
	}
}

func TestMaskSecrets(t *testing.T) {
	doc := parseOne(t, "f.yml", `settings:
  env: {API_TOKEN: hunter2hunter2, HOST: example.org, PASSWORD: '${PASSWORD}'}
scenarios:
  s:
    store-cookie: false
    headers: {Authorization: Bearer abc, X-Api-Key: 12345, Accept: text/plain}
    authorization: [{name: me, password: secret, client-secret: '${CLIENT}'}]
    cookies: [{name: sid, value: abc, domain: d}]
    extract-jsonpath: {token: $.access_token, secret: {jsonpath: $.x}}
    requests:
    - http://me:pw@host/?api_key=1&token=next&q=hunter2hunter2
    - url: http://host/?access_token=${T}&client_secret=x
      body: {db_password: 1, list: [{user-token: x}]}
`)
	before := show(doc)
	want := `settings:
  env:
    API_TOKEN: "********"
    HOST: example.org
    PASSWORD: ${PASSWORD}
scenarios:
  s:
    store-cookie: false
    headers:
      Authorization: "********"
      X-Api-Key: "********"
      Accept: text/plain
    authorization:
      - name: me
        password: "********"
        client-secret: ${CLIENT}
    cookies:
      - name: sid
        value: "********"
        domain: d
    extract-jsonpath:
      token: $.access_token
      secret:
        jsonpath: $.x
    requests:
      - http://me:********@host/?api_key=********&token=********&q=********
      - url: http://host/?access_token=${T}&client_secret=********
        body:
          db_password: "********"
          list:
            - user-token: "********"
`
	if diff := cmp.Diff(want, format(t, doc, FormatOptions{Mask: true})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if show(doc) != before {
		t.Error("masking changed the document")
	}
}
