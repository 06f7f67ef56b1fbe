package main

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// terminalSize returns the columns and rows of a terminal; 0, 0 when file is none.
func terminalSize(file *os.File) (columns, rows int) {
	columns, rows, err := term.GetSize(file.Fd())
	if err != nil {
		return 0, 0
	}
	return columns, rows
}

// terminalWidth returns the columns that tables may fill; 0 lets the reporter choose.
func terminalWidth(file *os.File) int {
	columns, _ := terminalSize(file)
	return columns
}
