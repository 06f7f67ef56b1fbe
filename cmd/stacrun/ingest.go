package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	isatty "github.com/mattn/go-isatty"

	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/stac"
	"github.com/stacrun/stacrun/stac/ingest"
	"github.com/stacrun/stacrun/stac/item"
)

// ingestCmd is `stacrun ingest`.
type ingestCmd struct {
	APIAddress string        `name:"api-address" required:"" placeholder:"URL" help:"Base address of the STAC API."`
	Collection string        `placeholder:"ID" help:"Collection to create and fill. Default: test-collection, or the one that --items brings along."`
	Count      int           `default:"100" placeholder:"N" help:"Number of generated items."`
	Items      string        `placeholder:"FILE|DIR" help:"Ingest these instead: a GeoJSON FeatureCollection, an Item, or NDJSON, or a folder of them."`
	Parallel   string        `default:"auto" placeholder:"N" help:"Requests at a time; auto: as many as the server takes well, 32 at most."`
	Batch      int           `default:"50" placeholder:"N" help:"Items in a bulk request."`
	Bulk       bool          `default:"true" negatable:"" help:"Use the bulk route where the API offers it."`
	Resume     bool          `help:"Ask first which items are there, and send the others only."`
	Engine     string        `placeholder:"URL" help:"Write into the index of the OpenSearch or Elasticsearch below the API, by _bulk, instead of through the API."`
	Wait       time.Duration `default:"60s" placeholder:"TIME" help:"How long to wait until everything can be read back."`
	Header     []string      `sep:"none" placeholder:"NAME: VALUE" help:"Header for every request, such as an Authorization. Repeatable."`
}

// Help is the long help.
func (ingestCmd) Help() string {
	return "Creates a collection and its items, reads every answer, then reads back what is there. What exists\n" +
		"already is fine, so an ingest may be repeated. Exit code 1 with a table of errors when anything is missing.\n\n" +
		"  stacrun ingest --api-address http://127.0.0.1:8085\n" +
		"  stacrun ingest --api-address http://127.0.0.1:8083 --items scenes.ndjson --collection scenes\n" +
		"  stacrun ingest --api-address http://127.0.0.1:8085 --collection big --count 1000000 --resume\n" +
		"  stacrun ingest --api-address http://127.0.0.1:8085 --collection big --count 1000000 --engine http://127.0.0.1:9202"
}

// Run runs the verb.
func (c *ingestCmd) Run(a *app) error {
	options, err := c.options()
	if err != nil {
		return err
	}
	source, err := c.source(a.Seed)
	if err != nil {
		return err
	}
	bar := newBar(a)
	options.Progress = bar.show

	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	interrupts, release := a.interrupts()
	defer release()
	go func() {
		select {
		case <-interrupts:
			cancel()
		case <-ctx.Done():
		}
	}()
	report, err := ingest.Run(ctx, source, options)
	bar.clear()
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !interrupted {
		return err
	}
	if err := report.WriteErrors(a.aside); err != nil {
		return err
	}
	switch {
	case interrupted:
		a.code = session.ExitInterrupted
		fmt.Fprintln(a.aside, "interrupted: the same command with --resume goes on")
	case !report.OK():
		a.code = session.ExitError
	}
	return a.print(func(w io.Writer) error {
		_, err := fmt.Fprintln(w, report.String())
		return err
	})
}

func (c *ingestCmd) options() (ingest.Options, error) {
	o := ingest.Options{
		Address: c.APIAddress, Collection: c.Collection, NoBulk: !c.Bulk, Wait: c.Wait, Header: http.Header{},
		Batch: c.Batch, Resume: c.Resume, Engine: c.Engine,
	}
	if c.Parallel != "auto" {
		n, err := strconv.Atoi(c.Parallel)
		if err != nil || n < 1 {
			return o, fmt.Errorf("--parallel %q: want auto, or 1 or more", c.Parallel)
		}
		o.Parallel = n
	}
	if c.Batch < 1 {
		return o, fmt.Errorf("--batch %d: want 1 or more", c.Batch)
	}
	if c.Count < 0 {
		return o, fmt.Errorf("--count %d: want 0 or more", c.Count)
	}
	for _, line := range c.Header {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return o, fmt.Errorf("--header %q: want \"Name: value\"", line)
		}
		o.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return o, nil
}

func (c *ingestCmd) source(seed *uint64) (ingest.Source, error) {
	if c.Items != "" {
		return ingest.Open(c.Items)
	}
	var s uint64 = item.DefaultSeed
	if seed != nil {
		s = *seed
	}
	return stac.Generated(s, c.Collection, c.Count), nil
}

// bar is a progress bar on a terminal, and a line now and then elsewhere.
type bar struct {
	w    io.Writer // nil: nothing is shown
	line bool
	last time.Time
}

// barLines is the time between two lines where there is no terminal; a short ingest shows none.
const barLines = 10 * time.Second

func newBar(a *app) *bar {
	if a.Quiet {
		return &bar{}
	}
	return &bar{w: a.aside, line: !isatty.IsTerminal(a.stderr.Fd()), last: time.Now()}
}

// barWidth is the number of cells of a bar.
const barWidth = 30

func (b *bar) show(p ingest.Progress) {
	pause := 100 * time.Millisecond
	if b.line {
		pause = barLines
	}
	if b.w == nil || time.Since(b.last) < pause && (b.line || p.Done != p.Total) {
		return
	}
	b.last = time.Now()
	verb := "sending"
	if p.Verifying {
		verb = "reading back"
	}
	var text strings.Builder
	text.WriteString(verb)
	if p.Total > 0 {
		if !b.line {
			full := min(barWidth, barWidth*p.Done/p.Total)
			fmt.Fprintf(&text, " %s%s", strings.Repeat("█", full), strings.Repeat("░", barWidth-full))
		}
		fmt.Fprintf(&text, " %d/%d", p.Done, p.Total)
	} else {
		fmt.Fprintf(&text, " %d", p.Done)
	}
	fmt.Fprintf(&text, ", %.0f/s, %d at a time", p.Rate, p.Parallel)
	if p.Failed > 0 {
		fmt.Fprintf(&text, ", %d failed", p.Failed)
	}
	if b.line {
		fmt.Fprintln(b.w, text.String())
		return
	}
	fmt.Fprintf(b.w, "\r\x1b[K%s", text.String())
}

func (b *bar) clear() {
	if b.w != nil && !b.line {
		io.WriteString(b.w, "\r\x1b[K")
	}
}
