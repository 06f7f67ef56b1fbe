package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	isatty "github.com/mattn/go-isatty"

	"github.com/stacrun/stacrun/config"
)

// newCmd is `stacrun new [URL]`.
type newCmd struct {
	URL         string `arg:"" optional:"" help:"What to load, such as http://127.0.0.1:8090/search. Without it questions are asked."`
	File        string `short:"O" name:"output-file" placeholder:"FILE" help:"Write to this file instead of to standard output."`
	Force       bool   `help:"Replace FILE when it exists."`
	Concurrency int    `default:"10" help:"Virtual users."`
	HoldFor     string `default:"30s" help:"How long the load is held."`
}

// Help is the long help.
func (newCmd) Help() string {
	return "Writes a commented scenario file that can be run as it is, and says what to change.\n\n" +
		"  stacrun new http://127.0.0.1:8090/search -O search.yml\n" +
		"  stacrun new                                             asks for URL, load and limits"
}

// beginning is what a new file says.
type beginning struct {
	address  string // scheme://host[:port]
	path     string // what is behind it, with its query
	label    string
	users    int
	holdFor  string
	p95      string
	fileName string // for the comments; "FILE.yml" when it goes to stdout
}

// Run runs the verb.
func (c *newCmd) Run(a *app) error {
	b := beginning{users: c.Concurrency, holdFor: c.HoldFor, p95: "500ms"}
	name := c.File
	if c.URL == "" {
		if !isatty.IsTerminal(a.stdin.Fd()) {
			return errors.New("there is no URL, and no terminal to ask on\n  hint: stacrun new http://127.0.0.1:8090/ -O scenario.yml")
		}
		answers := questions{in: bufio.NewReader(a.stdin), out: a.stderr}
		if err := answers.ask(&b, &c.URL, &name); err != nil {
			return err
		}
	}
	if err := b.setURL(c.URL); err != nil {
		return err
	}
	if _, err := config.ParseDuration(b.holdFor); err != nil {
		return fmt.Errorf("--hold-for: %w", err)
	}
	if b.users < 1 {
		return fmt.Errorf("--concurrency must be at least 1, got %d", b.users)
	}
	b.fileName = name
	if name == "" {
		b.fileName = "FILE.yml"
	}
	text := b.text()
	if name == "" {
		return a.print(func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_EXCL
	if c.Force {
		flags = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	file, err := os.OpenFile(name, flags, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists\n  hint: choose another name, or replace it with --force", name)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		fmt.Fprintf(a.aside, "wrote %s; next: stacrun debug %s, then stacrun %s\n", name, name, name)
	}
	return err
}

// setURL splits an address into what goes into default-address and what a request asks for.
func (b *beginning) setURL(text string) error {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is no address that can be loaded\n  hint: write one such as http://127.0.0.1:8090/search", text)
	}
	user := u.User
	u.User = nil
	if user != nil {
		return errors.New("the address holds a name or a password, which would stand in the file\n  hint: leave them out and use authorization, see: stacrun keys scenarios.authorization")
	}
	b.address = u.Scheme + "://" + u.Host
	b.path = u.RequestURI()
	b.label = strings.Trim(u.Path, "/")
	if b.label == "" {
		b.label = "home"
	}
	return nil
}

// text writes the file. What the user has typed stands in quotes.
func (b *beginning) text() string {
	return strings.NewReplacer(
		"@ADDRESS@", quoteYAML(b.address), "@PATH@", quoteYAML(b.path), "@LABEL@", quoteYAML(b.label),
		"@USERS@", strconv.Itoa(b.users), "@HOLD@", b.holdFor, "@P95@", b.p95, "@FILE@", b.fileName,
	).Replace(newFile)
}

const newFile = `# yaml-language-server: $schema=stacrun.schema.json
# (write that file with: stacrun schema > stacrun.schema.json; editors then know every key)
#
#   stacrun validate @FILE@    what is wrong with it?
#   stacrun plan @FILE@        what would be done?
#   stacrun debug @FILE@       one iteration, every request and answer in full
#   stacrun @FILE@             run it

execution:
  - scenario: first
    concurrency: @USERS@ # virtual users
    ramp-up: 5s # they start evenly spread over this time
    hold-for: @HOLD@ # time at full load, after ramp-up
    # throughput: 100 # requests per second at most, over all users
    # For a load that does not wait for slow answers, write this instead of concurrency:
    # arrival-rate: 50/s

scenarios:
  first:
    default-address: @ADDRESS@
    timeout: 10s
    think-time: 500ms # a pause before each request; remove it to send as fast as answers come
    headers:
      Accept: application/json
    # variables:
    #   limit: 10
    # data-sources:
    #   - rows.csv # each iteration takes a row; its columns become variables such as ${id}
    requests: # in order; one walk through them is an iteration
      # More requests are written like these:
      # - url: /items/${id}
      #   label: item
      # - url: /search
      #   label: search
      #   method: POST
      #   body: {limit: 10, bbox: "${randomBbox(\"sample\", 0.2, 1)}"}
      - url: @PATH@
        # assert: # texts or regular expressions that the answer must contain
        #   - features
        # extract-jsonpath:
        #   id: $.features[0].id
        label: @LABEL@ # the name in reports

reporting:
  - module: passfail
    criteria: # the run fails (exit code 3) when one of these becomes true
      - fail>1%
      - p95>@P95@
      - fail>50% for 5s, stop as failed
  - module: final-stats
  - module: junit-xml
    filename: ${TAURUS_ARTIFACTS_DIR}/junit.xml
`

// questions asks on a terminal.
type questions struct {
	in  *bufio.Reader
	out io.Writer
}

func (q *questions) ask(b *beginning, address, name *string) error {
	fmt.Fprintln(q.out, "A new scenario file. Enter takes what stands in brackets.")
	users := strconv.Itoa(b.users)
	for _, question := range []struct {
		text  string
		value *string
		check func(string) error
	}{
		{"URL to load", address, func(s string) error { return new(beginning).setURL(s) }},
		{"virtual users", &users, func(s string) error {
			_, err := fmt.Sscanf(s, "%d", &b.users)
			if err != nil || b.users < 1 {
				return errors.New("write a whole number of at least 1")
			}
			return nil
		}},
		{"hold the load for", &b.holdFor, durationCheck},
		{"fail when the 95th percentile is above", &b.p95, durationCheck},
		{"file to write", name, func(s string) error {
			if _, err := os.Stat(s); err == nil {
				return fmt.Errorf("%s exists: choose another name", s)
			}
			return nil
		}},
	} {
		if question.value == name && *name == "" {
			*name = "scenario.yml"
		}
		if question.value == address && *address == "" {
			*address = "http://127.0.0.1:8090/search"
		}
		if err := q.one(question.text, question.value, question.check); err != nil {
			return err
		}
	}
	return nil
}

func durationCheck(s string) error { _, err := config.ParseDuration(s); return err }

// one asks until an answer is good.
func (q *questions) one(text string, value *string, check func(string) error) error {
	for {
		fmt.Fprintf(q.out, "%s [%s]: ", text, *value)
		line, err := q.in.ReadString('\n')
		answer := strings.TrimSpace(line)
		if err != nil && answer == "" {
			return errors.New("no answer; nothing was written")
		}
		if answer == "" {
			answer = *value
		}
		if err := check(answer); err != nil {
			fmt.Fprintf(q.out, "  %v\n", err)
			continue
		}
		*value = answer
		return nil
	}
}
