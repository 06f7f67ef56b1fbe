//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd

package main

import "os"

// keyboard is for systems whose terminals we do not know: keys do nothing there.
type keyboard struct{}

func openKeyboard(*os.File, func(string)) *keyboard { return nil }

func (*keyboard) restore() {}

func (*keyboard) close() {}
