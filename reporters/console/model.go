package console

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/stacrun/stacrun/reporters/report"
)

// model is what bubbletea asks what to show, and tells what happened; only its goroutine touches it.
type model struct {
	live    *live
	run     report.Run
	paint   report.Palette
	hands   Hands
	note    string
	state   *state // of the newest second; nil: none has passed
	columns int
	rows    int
	page    int    // that is shown
	help    bool   // is shown instead
	message string // of the last key
}

// Init begins to wait for news.
func (m *model) Init() tea.Cmd { return m.live.listen }

// Update takes what happened.
func (m *model) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.columns, m.rows = message.Width, message.Height
		m.live.rows.Store(int64(message.Height))
	case tea.KeyPressMsg:
		m.press(message.String())
	case news:
		if message.quit {
			return m, tea.Quit
		}
		if message.state != nil {
			m.state = message.state
		}
		if message.said != "" {
			m.message = message.said
		}
		if message.signal != nil {
			m.live.handle(message.signal)
		}
		return m, m.live.listen
	}
	return m, nil
}

// View lays the page out.
func (m *model) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen = true
	return v
}

// press does what a key asks for, by the name that bubbletea gives it.
func (m *model) press(key string) {
	pages := len(pageNames())
	switch key {
	case "tab", "right", "l":
		m.page, m.help = (m.page+1)%pages, false
	case "shift+tab", "left", "h":
		m.page, m.help = (m.page+pages-1)%pages, false
	case "?", "f1":
		m.help = !m.help
	case "esc", "enter":
		m.help = false
	case "q", "Q":
		m.say(m.hands.Stop())
	case "ctrl+c":
		m.say(m.hands.Interrupt())
	case "ctrl+z":
		m.say(m.live.suspend())
	case "p", "P", "space":
		m.say(m.hands.Pause(m.state != nil && len(m.state.paused) > 0))
	case "+", "=":
		m.say(m.hands.Change(m.levels(), 1))
	case "-", "_":
		m.say(m.hands.Change(m.levels(), -1))
	default:
		if number := strings.Index("12345", key); number >= 0 && len(key) == 1 && number < pages {
			m.page, m.help = number, false
		}
	}
}

func (m *model) say(text string) {
	if text != "" {
		m.message = text
	}
}

func (m *model) levels() []Level {
	if m.state == nil {
		return nil
	}
	return m.state.levels
}

// leastColumns and leastRows bound the view on a terminal that tells no sensible size.
const leastColumns, leastRows = 20, 4

// lines is the page that is looked at, with the keys below; none is wider than the terminal.
func (m *model) lines() []string {
	columns, rows := max(m.columns, leastColumns), max(m.rows, leastRows)
	lines := m.body(columns, rows-1)
	if len(lines) > rows-1 {
		lines = lines[:rows-1]
	}
	lines = slices.Clone(lines)
	for len(lines) < rows-1 { // the keys stand in the last line
		lines = append(lines, "")
	}
	lines = append(lines, m.keyLine(columns))
	for i, line := range lines {
		lines[i] = report.Fit(line, columns)
	}
	return lines
}

func (m *model) body(columns, rows int) []string {
	switch {
	case m.help:
		return m.helpLines(columns)
	case m.state == nil:
		return []string{m.head(0, columns), "starting"}
	case m.page == 0:
		return m.overview(columns, rows)
	}
	return m.further(m.page, columns, rows)
}
