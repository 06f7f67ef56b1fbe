package web

// The phases that a page can be in.
const (
	phaseIdle     = "idle"
	phaseStarting = "starting"
	phaseRunning  = "running"
	phaseStopping = "stopping"
	phaseEnded    = "ended"
)

// state is all that the page shows of a run; each one stands for itself, so that any may be lost.
type state struct {
	Phase      string       `json:"phase"`
	ID         string       `json:"id"` // of the run, "" before there is one
	Name       string       `json:"name"`
	Ends       string       `json:"ends"`
	Elapsed    string       `json:"elapsed"`
	Planned    string       `json:"planned"`  // duration; "" when unlimited
	Progress   float64      `json:"progress"` // 0…1; -1: unknown
	Cards      []card       `json:"cards"`
	Executions []execution  `json:"executions"`
	Agents     []agent      `json:"agents"` // of a distributed run
	Panels     []panel      `json:"panels"`
	Times      []string     `json:"times"` // of the points of all panels
	Labels     []label      `json:"labels"`
	LabelNote  string       `json:"label_note"`
	Faults     []fault      `json:"faults"`
	Criteria   []rule       `json:"criteria"`
	Events     []happening  `json:"events"` // newest first
	Warning    string       `json:"warning"`
	Outcome    *outcomeText `json:"outcome"` // nil before the end
}

// card is a headline figure.
type card struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Note  string `json:"note"`
	Tone  string `json:"tone"` // good, bad or ""
}

// execution is the load of an execution, and what may be done to it.
type execution struct {
	Name    string `json:"name"`
	Open    bool   `json:"open"`
	Now     string `json:"now"`
	Planned string `json:"planned"`
	Level   string `json:"level"` // planned, as a number to change
	Paused  bool   `json:"paused"`
}

// agent is a process that carries out a share of a distributed run.
type agent struct {
	Name  string   `json:"name"`
	Host  string   `json:"host"`
	State string   `json:"state"`
	Tone  string   `json:"tone"`  // bad when its share is missing
	Cells []string `json:"cells"` // as [agentColumns] says
}

// panel is a chart over the time of the run.
type panel struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Note  string `json:"note"`
	SVG   string `json:"svg"`
	Lines []line `json:"lines"`
}

// line is what the legend of a panel shows, with the values as texts for the pointer.
type line struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Now    string   `json:"now"`
	Values []string `json:"values"`
}

// label is a row of the table.
type label struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // "" for requests
	Failed bool     `json:"failed"`
	Cells  []string `json:"cells"`
}

type fault struct {
	Label string `json:"label"`
	Fault string `json:"fault"`
	Code  int    `json:"code"`
	Count string `json:"count"`
	Text  string `json:"text"`
}

type rule struct {
	Text     string  `json:"text"`
	Word     string  `json:"word"`
	Tone     string  `json:"tone"`
	Observed string  `json:"observed"`
	Limit    string  `json:"limit"`
	Progress float64 `json:"progress"` // of a window that is filling
}

type happening struct {
	At   string `json:"at"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

type outcomeText struct {
	Result string   `json:"result"`
	Reason string   `json:"reason"`
	Errors []string `json:"errors"`
	Files  []string `json:"files"`
}
