package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
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
	Parallel   int           `default:"8" placeholder:"N" help:"Requests at a time."`
	Bulk       bool          `default:"true" negatable:"" help:"Use the bulk route where the API offers it."`
	Wait       time.Duration `default:"60s" placeholder:"TIME" help:"How long to wait until everything can be read back."`
	Header     []string      `sep:"none" placeholder:"NAME: VALUE" help:"Header for every request, such as an Authorization. Repeatable."`
}

// Help is the long help.
func (ingestCmd) Help() string {
	return "Creates a collection and its items, reads every answer, then reads back what is there. What exists\n" +
		"already is fine, so an ingest may be repeated. Exit code 1 with a table of errors when anything is missing.\n\n" +
		"  stacrun ingest --api-address http://127.0.0.1:8085\n" +
		"  stacrun ingest --api-address http://127.0.0.1:8083 --items scenes.ndjson --collection scenes"
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
	if err := report.WriteErrors(a.stderr); err != nil {
		return err
	}
	switch {
	case interrupted:
		a.code = session.ExitInterrupted
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
		Address: c.APIAddress, Collection: c.Collection, Parallel: c.Parallel, NoBulk: !c.Bulk, Wait: c.Wait, Header: http.Header{},
	}
	if c.Parallel < 1 {
		return o, fmt.Errorf("--parallel %d: want 1 or more", c.Parallel)
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

// bar is a progress bar on a terminal, and nothing elsewhere.
type bar struct {
	w    io.Writer
	last time.Time
}

func newBar(a *app) *bar {
	if a.Quiet || !isatty.IsTerminal(a.stderr.Fd()) {
		return &bar{}
	}
	return &bar{w: a.stderr}
}

// barWidth is the number of cells of a bar.
const barWidth = 30

func (b *bar) show(p ingest.Progress) {
	if b.w == nil || time.Since(b.last) < 100*time.Millisecond && p.Done != p.Total {
		return
	}
	b.last = time.Now()
	verb := "sending"
	if p.Verifying {
		verb = "reading back"
	}
	if p.Total <= 0 {
		fmt.Fprintf(b.w, "\r\x1b[K%s %d", verb, p.Done)
		return
	}
	full := min(barWidth, barWidth*p.Done/p.Total)
	fmt.Fprintf(b.w, "\r\x1b[K%s %s%s %d/%d", verb, strings.Repeat("█", full), strings.Repeat("░", barWidth-full), p.Done, p.Total)
	if p.Failed > 0 {
		fmt.Fprintf(b.w, ", %d failed", p.Failed)
	}
}

func (b *bar) clear() {
	if b.w != nil {
		io.WriteString(b.w, "\r\x1b[K")
	}
}
