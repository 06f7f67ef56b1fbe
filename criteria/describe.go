package criteria

import "github.com/stacrun/stacrun/config"

// Description is a criterion in the JSON form of `stacrun plan`: a contract, to which fields may
// be added, none renamed. Absent values are null.
type Description struct {
	Text      string   `json:"text"`
	Message   *string  `json:"message"`
	Subject   *string  `json:"subject"` // null for an assert rule
	Label     *string  `json:"label"`   // null: all
	Condition *string  `json:"condition"`
	Threshold *float64 `json:"threshold"` // seconds, bytes, count or percent number
	Percent   bool     `json:"percent"`
	Logic     *string  `json:"logic"`       // null: cumulative
	Timeframe *float64 `json:"timeframe_s"` // null: cumulative
	Stop      bool     `json:"stop"`
	Fail      bool     `json:"fail"`
	Assert    *string  `json:"assert"`
	Execution *string  `json:"execution"`
	IfNoData  string   `json:"if_no_data"` // "fail" or "pass"
	Baseline  bool     `json:"baseline"`
}

// Describe gives the JSON form of criteria, never nil.
func Describe(rules []config.Criterion) []Description {
	list := make([]Description, 0, len(rules))
	for _, c := range rules {
		d := Description{
			Text: c.Text, Message: optional(c.Message), Subject: optional(c.Subject), Label: optional(c.Label),
			Condition: optional(c.Condition), Percent: c.Percent, Stop: c.Stop, Fail: c.Fail,
			Assert: optional(c.Assert), Execution: optional(c.Execution), IfNoData: "fail", Baseline: c.Baseline,
		}
		if c.Assert == "" {
			d.Threshold = &c.Threshold
		}
		if c.Timeframe > 0 {
			seconds := c.Timeframe.Seconds()
			d.Timeframe, d.Logic = &seconds, optional(c.Logic)
		}
		if c.IfNoData != "" {
			d.IfNoData = c.IfNoData
		}
		list = append(list, d)
	}
	return list
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
