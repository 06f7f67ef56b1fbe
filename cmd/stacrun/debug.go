package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/session"
)

// debugCmd is `stacrun debug FILE…`.
type debugCmd struct {
	Body    int      `default:"2000" placeholder:"BYTES" help:"How much of each body is printed; 0: all of it."`
	Step    string   `placeholder:"LABEL" help:"Print only the request of this label. The others are made, too, since it may need what they find."`
	DataRow int      `default:"1" placeholder:"N" help:"Use row N of the data sources, counted from 1."`
	HAR     string   `name:"har" placeholder:"FILE" help:"Write every exchange to an HTTP archive (HAR 1.2), which browsers can open."`
	Secrets bool     `name:"show-secrets" help:"Print secrets, and write them to the HAR, instead of masking them."`
	Files   []string `arg:"" name:"file" help:"Scenario files, merged in order, or URLs."`
}

// Help is the long help.
func (debugCmd) Help() string {
	return "Runs one user through one iteration of each execution and prints each request and response with\n" +
		"timings, extracted values and checks. Secrets are masked unless --show-secrets is given.\n\n  stacrun debug scenarios/search.yml\n  stacrun debug scenarios/search.yml --step search --data-row 3 --har search.har\n\n" +
		"Exit code 3 when a request failed."
}

// Run runs the verb.
func (c *debugCmd) Run(a *app) error {
	l, prepared, found := a.prepare(c.Files)
	if err := a.tell(found, l.file); err != nil {
		return err
	}
	if err := c.check(prepared.Plan); err != nil {
		return err
	}
	interrupts, release := a.interrupts()
	defer release()
	printer := &tracePrinter{w: a.stdout, limit: c.Body, step: c.Step, secrets: debugSecrets{config.SecretsOf(l.file.Document)}}
	if c.Secrets {
		printer.secrets = debugSecrets{}
	}
	if c.HAR != "" {
		printer.archive = &archive{secrets: printer.secrets}
	}
	problems, err := session.Debug(a.ctx, prepared, session.DebugOptions{Tracer: printer, DataRow: c.DataRow - 1, Interrupts: interrupts, Log: a.verboseLog()})
	problems.Sort()
	if told := a.tell(problems, l.file); told != nil {
		return told
	}
	if c.HAR != "" {
		err = errors.Join(err, report.WriteFile(c.HAR, printer.archive.write))
	}
	switch {
	case err != nil:
		return err
	case c.Step != "" && printer.count == 0:
		return fmt.Errorf("the iteration came to no request with the label %q", c.Step)
	case printer.err != nil:
		return fmt.Errorf("write to stdout: %w", printer.err)
	case printer.failed > 0:
		a.code = session.ExitFailed
	}
	return a.print(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%d requests, %d failed\n", printer.count, printer.failed)
		return err
	})
}

// check looks at the flags before anything is sent.
func (c *debugCmd) check(plan *engine.Plan) error {
	if c.DataRow < 1 {
		return fmt.Errorf("--data-row %d: rows are counted from 1", c.DataRow)
	}
	if c.Step == "" {
		return nil
	}
	var known []string
	for _, l := range slices.Concat(plan.Labels(), plan.HiddenLabels()) {
		if l.Pattern || l.Name == c.Step {
			return nil // the label of a pattern is only known at run time
		}
		if l.Kind == metrics.RequestKind {
			known = append(known, l.Name)
		}
	}
	hint := diag.DidYouMean(c.Step, known)
	if hint == "" {
		hint = "the labels are " + strings.Join(known, ", ")
	}
	return fmt.Errorf("--step %q: no request has this label\n  hint: %s", c.Step, hint)
}

// tracePrinter prints exchanges as they come.
type tracePrinter struct {
	w       io.Writer
	limit   int
	step    string   // only this label; "": all
	archive *archive // nil: none is wanted
	secrets debugSecrets

	mu            sync.Mutex
	count, failed int
	err           error
}

// debugSecrets masks secrets; the zero value shows them.
type debugSecrets struct{ known *config.Secrets }

// Mask hides secrets of the document in a text.
func (s debugSecrets) Mask(text string) string {
	if s.known == nil {
		return text
	}
	return s.known.Mask(text)
}

// head hides those in the lines of a head, by their names too.
func (s debugSecrets) head(head []byte) string {
	if s.known == nil {
		return string(head)
	}
	return s.known.Mask(string(config.MaskHead(head)))
}

// hides reports whether the value of a name is a secret.
func (s debugSecrets) hides(name string) bool { return s.known != nil && config.IsSecretKey(name) }

var _ engine.Tracer = (*tracePrinter)(nil)

// Exchange prints one exchange.
func (p *tracePrinter) Exchange(t engine.Trace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.archive != nil {
		p.archive.add(&t)
	}
	if p.step != "" && t.Label != p.step {
		return
	}
	var b strings.Builder
	p.write(&b, &t)
	if !t.Redirect {
		p.count++
	}
	if t.Fault != "" {
		p.failed++
	}
	if _, err := io.WriteString(p.w, b.String()); err != nil && p.err == nil {
		p.err = err
	}
}

func (p *tracePrinter) write(b *strings.Builder, t *engine.Trace) {
	fmt.Fprintf(b, "── %s (%s)\n", p.secrets.Mask(report.Clean(t.Label)), t.Step)
	prefixed(b, "> ", p.secrets.head(t.Request[:t.RequestHead]))
	p.body(b, "> ", t.Request[t.RequestHead:])
	if len(t.ResponseHead) > 0 {
		prefixed(b, "< ", p.secrets.head(t.ResponseHead))
		p.body(b, "< ", t.ResponseBody)
	}
	s := &t.Sample
	fmt.Fprintf(b, "  time      %s", millis(s.End-s.Start))
	phases := []struct {
		name string
		ns   int64
	}{
		{"dns", s.DNS - s.Start}, {"connect", s.Connected - s.DNS}, {"tls", s.TLS - s.Connected},
		{"send", s.Sent - s.TLS}, {"wait", s.FirstByte - s.Sent}, {"receive", s.End - s.FirstByte},
	}
	for _, phase := range phases {
		if phase.ns > 0 {
			fmt.Fprintf(b, "  %s %s", phase.name, millis(phase.ns))
		}
	}
	b.WriteString("\n")
	sort.SliceStable(t.Extractions, func(i, j int) bool { return t.Extractions[i].Variable < t.Extractions[j].Variable })
	for _, x := range t.Extractions {
		value := p.secrets.Mask(x.Value)
		if p.secrets.hides(x.Variable) {
			value = config.Mask
		}
		missing := ""
		if !x.Found {
			missing = "  (nothing found)"
		}
		fmt.Fprintf(b, "  extract   %s = %s%s  from %s\n", x.Variable, diag.Shorten(report.Clean(value), 200), missing, x.Query)
	}
	for _, check := range t.Checks {
		if check.OK {
			fmt.Fprintf(b, "  check     ok: %s\n", check.Text)
		} else {
			fmt.Fprintf(b, "  check     FAILED: %s: %s\n", check.Text, report.Clean(p.secrets.Mask(check.Saw)))
		}
	}
	if t.Fault != "" {
		fmt.Fprintf(b, "  FAILED    %s: %s\n", t.Fault, report.Clean(p.secrets.Mask(t.FaultText)))
	}
	b.WriteString("\n")
}

func (p *tracePrinter) body(b *strings.Builder, prefix string, body []byte) {
	if len(body) == 0 {
		return
	}
	if !utf8.Valid(body) && bytes.IndexByte(body, 0) >= 0 {
		fmt.Fprintf(b, "%s(%d bytes, not text)\n", prefix, len(body))
		return
	}
	text, cut := p.secrets.Mask(strings.ToValidUTF8(string(body), "\uFFFD")), 0 // whole: half a secret would not be known as one
	if p.limit > 0 && len(text) > p.limit {
		text, cut = strings.ToValidUTF8(text[:p.limit], "\uFFFD"), len(text)-p.limit
	}
	prefixed(b, prefix, text)
	if cut > 0 {
		fmt.Fprintf(b, "%s… %d bytes more (--body 0 shows all)\n", prefix, cut)
	}
}

func prefixed(b *strings.Builder, prefix, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\r\n")) {
		// A server must not move the cursor: only tabs stay.
		parts := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		for i := range parts {
			parts[i] = report.Clean(parts[i])
		}
		b.WriteString(strings.TrimRight(prefix+strings.Join(parts, "\t"), " ") + "\n")
	}
}

func millis(ns int64) string {
	return (time.Duration(ns) * time.Nanosecond).Round(time.Microsecond).String()
}
