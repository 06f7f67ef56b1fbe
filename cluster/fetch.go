package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
)

// fetch is the file that an agent is being sent.
type fetch struct {
	hash    string // "": none
	content []byte
	asked   time.Time
}

// takePlan begins with what an agent is to do: the files are fetched first.
func (a *agent) takePlan(ctx context.Context, share planOf, text []byte) error {
	if a.bundle != nil || !a.welcomed {
		return nil // it came twice
	}
	b, err := unmarshalBundle(text)
	if err != nil {
		return err
	}
	a.bundle, a.state.Plan, a.share = b, true, engine.Share{Index: share.Index, Of: share.Of}
	a.next(ctx)
	return nil
}

// next fetches the next file, or makes the plan when all are there.
func (a *agent) next(ctx context.Context) {
	missing := a.bundle.missing()
	if len(missing) > 0 {
		a.file = fetch{hash: missing[0]}
		a.ask()
		return
	}
	a.file = fetch{}
	bundle, compile, share := a.bundle, a.opts.Engine, a.share
	a.beside.Go(func() {
		plan, digest, err := bundle.unpack(ctx, compile, share)
		a.made <- making{plan, digest, err} // there is room for it
	})
}

// ask asks for the next piece, unless it may still be on its way.
func (a *agent) ask() {
	if a.file.hash == "" || time.Since(a.file.asked) < time.Second {
		return
	}
	a.file.asked = time.Now()
	a.send(kindNeed, need{a.file.hash, int64(len(a.file.content))}, nil)
}

func (a *agent) takePiece(ctx context.Context, p piece, data []byte) error {
	f := &a.file
	if p.Hash != f.hash || p.Offset != int64(len(f.content)) {
		return nil // it came twice
	}
	if p.Size > MaxFile {
		return fmt.Errorf("a file of %s is larger than %s", size(p.Size), size(MaxFile))
	}
	f.content, f.asked = append(f.content, data...), time.Time{}
	if int64(len(f.content)) < p.Size {
		a.ask()
		return nil
	}
	if sum := sha256.Sum256(f.content); hex.EncodeToString(sum[:]) != f.hash {
		return errors.New("a file of the run is damaged")
	}
	a.bundle.contents[f.hash] = f.content
	a.next(ctx)
	return nil
}

// ready tells whether the plan could be made.
func (a *agent) ready(m making) {
	a.plan, a.state.Ready = m.plan, &ready{Digest: m.digest}
	if m.err != nil {
		a.state.Ready.Error = m.err.Error()
	}
	a.send(kindAlive, a.state, nil)
}

// look does the preflight from here.
func (a *agent) look(ctx context.Context) {
	if a.plan == nil || a.looking {
		return // it is asked again until it has told what it found
	}
	a.looking = true
	plan := a.plan
	a.beside.Go(func() {
		var found looked
		for _, d := range engine.Preflight(ctx, plan) {
			text := d.Message
			if d.Hint != "" {
				text += " (" + d.Hint + ")"
			}
			if d.Severity == diag.Error {
				found.Errors = append(found.Errors, text)
			} else {
				found.Warnings = append(found.Warnings, text)
			}
		}
		a.looked <- found // there is room for it
	})
}
