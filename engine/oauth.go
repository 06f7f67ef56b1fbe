package engine

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stacrun/stacrun/internal/dying"
)

// tokenSource is where tokens come from: the client credentials grant of OAuth 2.0 (RFC 6749 section 4.4).
type tokenSource struct {
	url, id, secret, scope string
	tls                    *tls.Config
	proxy                  *proxies
}

// tokenKeeper holds the token of a source while a plan runs. Users only ever read it: it is fetched before the load begins, and
// anew in the background before it expires.
type tokenKeeper struct{ value atomic.Pointer[string] }

// header is the value of the Authorization header.
func (k *tokenKeeper) header() string { return *k.value.Load() }

// Bounds of fetching tokens.
const (
	tokenTimeout = 30 * time.Second
	tokenRetry   = 5 * time.Second // between attempts to renew one
	tokenSize    = 1 << 20         // bytes of an answer that are read
)

// fetchTokens gets the first token of each source, and renews them until release is called.
func (e *Engine) fetchTokens(ctx context.Context) (release func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	release = func() {
		cancel()
		renewing.Wait()
	}
	if len(e.plan.tokens) > 0 {
		renewing.Go(func() { // a run that is stopped needs no token any more
			select {
			case <-e.soft.closing:
				cancel()
			case <-ctx.Done():
			}
		})
	}
	e.tokens = make([]tokenKeeper, len(e.plan.tokens))
	for i, source := range e.plan.tokens {
		value, life, err := source.fetch(ctx)
		if err != nil && !e.soft.open() {
			return release, nil
		} else if err != nil {
			return release, fmt.Errorf("authorization by oauth2: %w", err)
		}
		keeper := &e.tokens[i]
		keeper.value.Store(&value)
		e.log.Info("token fetched", "from", source.url, "valid", life)
		if life > 0 {
			renewing.Go(func() {
				defer dying.Guard(e.opts.Dying)
				e.renew(ctx, source, keeper, life)
			})
		}
	}
	return release, nil
}

// renew replaces a token when four fifths of its life are over.
func (e *Engine) renew(ctx context.Context, source *tokenSource, keeper *tokenKeeper, life time.Duration) {
	wait := life * 4 / 5
	for {
		timer := time.NewTimer(max(wait, 100*time.Millisecond))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		value, life, err := source.fetch(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			e.warnOnce("the token could not be renewed: " + err.Error())
			wait = tokenRetry
			continue
		}
		keeper.value.Store(&value)
		e.log.Info("token renewed", "from", source.url, "valid", life)
		if life <= 0 {
			return
		}
		wait = life * 4 / 5
	}
}

// fetch asks for a token. The client's secret goes into the Authorization header, as RFC 6749 section 2.3.1 prefers, and into the
// form for servers that refuse that. life is 0 for a token that does not say when it ends.
func (s *tokenSource) fetch(ctx context.Context) (header string, life time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	transport := &http.Transport{TLSClientConfig: s.tls.Clone(), DisableKeepAlives: true, Proxy: s.proxy.forRequest}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	code, text, err := s.ask(ctx, client, true)
	if err == nil && (code == http.StatusUnauthorized || code == http.StatusBadRequest) {
		code, text, err = s.ask(ctx, client, false)
	}
	if err != nil {
		return "", 0, err
	}
	if code != http.StatusOK {
		return "", 0, errors.New(withExcerpt(fmt.Sprintf("%s answers %d", s.url, code), text))
	}
	var answer struct {
		AccessToken string      `json:"access_token"`
		TokenType   string      `json:"token_type"`
		ExpiresIn   json.Number `json:"expires_in"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return "", 0, fmt.Errorf("the answer of %s is not a token: %w", s.url, err)
	}
	if answer.AccessToken == "" || strings.ContainsAny(answer.AccessToken+answer.TokenType, "\r\n\x00") {
		return "", 0, fmt.Errorf("the answer of %s holds no access_token", s.url)
	}
	kind := answer.TokenType
	if kind == "" || strings.EqualFold(kind, "bearer") {
		kind = "Bearer"
	}
	if seconds, err := answer.ExpiresIn.Float64(); err == nil && seconds > 0 {
		life = time.Duration(min(seconds, 1e9) * float64(time.Second))
	}
	return kind + " " + answer.AccessToken, life, nil
}

func (s *tokenSource) ask(ctx context.Context, client *http.Client, inHeader bool) (code int, text []byte, err error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	if s.scope != "" {
		form.Set("scope", s.scope)
	}
	if !inHeader {
		form.Set("client_id", s.id)
		form.Set("client_secret", s.secret)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	if inHeader {
		request.SetBasicAuth(url.QueryEscape(s.id), url.QueryEscape(s.secret))
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err = io.ReadAll(io.LimitReader(response.Body, tokenSize))
	return response.StatusCode, text, err
}
