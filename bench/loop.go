package main

import (
	"bytes"
	"crypto/tls"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
)

// loopMain is the peer that everybody writes first: a loop over net/http with a shared client. It runs as a process of its own.
func loopMain(args []string) error {
	f := flag.NewFlagSet("loop", flag.ContinueOnError)
	users := f.Int("c", 10, "users")
	requests := f.Int64("n", 1000, "requests")
	file := f.String("body", "", "file with the body of a POST; none: GET")
	last := f.Bool("close", false, "a connection for each request")
	url := f.String("url", "", "where to")
	if err := f.Parse(args); err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: *users, MaxIdleConns: *users, DisableKeepAlives: *last, DisableCompression: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the server's certificate is made up
	}}
	var body []byte
	if *file != "" {
		var err error
		if body, err = os.ReadFile(*file); err != nil {
			return err
		}
	}
	var left, failed atomic.Int64
	left.Store(*requests)
	var wg sync.WaitGroup
	for range *users {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := once(client, *url, body); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if failed.Load() > 0 {
		return errors.New("requests failed")
	}
	return nil
}

func once(client *http.Client, url string, body []byte) error {
	method, reader := http.MethodGet, io.Reader(nil)
	if len(body) > 0 {
		method, reader = http.MethodPost, bytes.NewReader(body)
	}
	req, err := http.NewRequest(method, url, reader)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
