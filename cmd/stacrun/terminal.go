package main

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// terminalWidth returns the columns of a terminal, which tables may fill; 0, when file is none, lets the reporter choose.
func terminalWidth(file *os.File) int {
	columns, _, err := term.GetSize(file.Fd())
	if err != nil {
		return 0
	}
	return columns
}
