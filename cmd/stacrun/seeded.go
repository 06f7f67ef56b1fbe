package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	isatty "github.com/mattn/go-isatty"
	"github.com/tidwall/gjson"

	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/stac"
	"github.com/stacrun/stacrun/stac/ingest"
	"github.com/stacrun/stacrun/stac/item"
)

// seeded looks whether every address holds the sample collection, and creates it where it is missing and wanted: by the flag,
// or by an answer on the terminal. It returns why addresses cannot be measured.
func (s *studyRun) seeded(addresses []string, earlier *report.Sweep, wanted bool) (map[string]string, error) {
	unusable := map[string]string{}
	for _, address := range addresses {
		if earlier != nil && finished(earlier, address) {
			continue
		}
		missing, why := lookForSample(s.ctx, address)
		if why == "" && missing {
			why = s.ingestSample(address, wanted)
		}
		if s.ctx.Err() != nil { // what it was doing then is no fault of the address
			s.code = session.ExitInterrupted
			return unusable, errors.New("interrupted before the first run")
		}
		if why != "" {
			fmt.Fprintf(s.aside, "%s: %s\n", address, why)
			unusable[address] = why
		}
	}
	if len(addresses) > 0 && len(unusable) == len(addresses) {
		return unusable, errors.New("none of the addresses can be measured")
	}
	return unusable, nil
}

func finished(sweep *report.Sweep, address string) bool {
	for _, users := range sweep.Users {
		if row := sweep.Row(address, users); row == nil || !row.Complete() {
			return false
		}
	}
	return true
}

// lookForSample asks an API for the sample collection and an item of it.
func lookForSample(ctx context.Context, address string) (missing bool, why string) {
	client := &http.Client{Timeout: 15 * time.Second}
	defer client.CloseIdleConnections()
	get := func(path string) (int, []byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+path, http.NoBody)
		if err != nil {
			return 0, nil, err
		}
		response, err := client.Do(request)
		if err != nil {
			return 0, nil, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
		return response.StatusCode, body, err
	}
	last := item.New(item.DefaultSeed, "").ID(item.DefaultCount - 1)
	collection := "/collections/" + item.DefaultCollection
	for _, x := range []struct{ path, id string }{{"/", ""}, {collection, item.DefaultCollection}, {collection + "/items/" + last, last}} {
		status, body, err := get(x.path)
		switch {
		case err != nil:
			if inner := errors.Unwrap(err); inner != nil {
				err = inner
			}
			return false, fmt.Sprintf("cannot be reached: %v", err)
		case status == http.StatusNotFound && x.id != "":
			return true, ""
		case status != http.StatusOK:
			return false, fmt.Sprintf("GET %s answered %d: is it a STAC API?", x.path, status)
		case !gjson.ValidBytes(body) || x.id != "" && gjson.GetBytes(body, "id").String() != x.id:
			return false, fmt.Sprintf("GET %s did not answer with the document of a STAC API", x.path)
		}
	}
	return false, ""
}

// yes reads the answer to a question; an interruption, or no answer at all, is a no.
func (s *studyRun) yes() bool {
	answers := make(chan string, 1)
	go func() { // it waits as long as the terminal does, at most until the process ends
		if answer, err := bufio.NewReader(s.stdin).ReadString('\n'); err == nil {
			answers <- strings.ToLower(strings.TrimSpace(answer))
		}
		close(answers)
	}()
	select {
	case answer, given := <-answers:
		return given && slices.Contains([]string{"", "y", "yes"}, answer)
	case <-s.ctx.Done():
		fmt.Fprintln(s.stderr) // behind the question
		return false
	}
}

// ingestSample creates the sample collection, or says why not.
func (s *studyRun) ingestSample(address string, wanted bool) (why string) {
	if !wanted {
		if !isatty.IsTerminal(os.Stdin.Fd()) || !isatty.IsTerminal(s.stderr.Fd()) {
			return fmt.Sprintf("the sample collection %q is missing or incomplete: say --ingest, or run \"stacrun ingest --api-address %s\" first", item.DefaultCollection, address)
		}
		_ = s.aside.Flush() // the question comes last
		fmt.Fprintf(s.stderr, "%s: the sample collection %q is missing or incomplete. Create it with %d items? [Y/n] ", address, item.DefaultCollection, item.DefaultCount)
		if !s.yes() {
			return fmt.Sprintf("the sample collection %q is missing", item.DefaultCollection)
		}
	}
	fmt.Fprintf(s.progress(), "%s: creating the sample collection\n", address)
	r, err := ingest.Run(s.ctx, stac.Generated(item.DefaultSeed, "", item.DefaultCount), ingest.Options{Address: address})
	switch {
	case err != nil:
		return fmt.Sprintf("the sample collection could not be created: %v", err)
	case !r.OK():
		return "the sample collection could not be created: " + r.String()
	}
	return ""
}
