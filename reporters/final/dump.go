package final

import (
	"encoding/csv"
	"encoding/xml"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// dumpData is a run in the figures and names of Taurus' final status: times in seconds,
// `throughput` is a number of samples, `concurrency` the peak.
type dumpData struct {
	seconds float64 // last second - first second
	levels  []float64
	codes   []string // of the total, sorted as text
	groups  []dumpGroup
}

// dumpGroup is one label; "" is the total.
type dumpGroup struct {
	label string
	row   *metrics.Row
	users int64
	codes map[string]int64
}

func newDumpData(t *report.Totals, levels []float64, users int64) *dumpData {
	d := &dumpData{levels: slices.Sorted(slices.Values(levels)), seconds: float64(t.Seconds())}
	total := dumpGroup{row: t.Total, users: max(users, t.Total.Users.Max), codes: codesOf(t.Total)}
	d.codes = slices.Sorted(maps.Keys(total.codes))
	d.groups = append(d.groups, total)
	for _, row := range t.Labels {
		if row.Kind == metrics.RequestKind || row.Kind == metrics.TransactionKind {
			label := row.Label
			if label == "" {
				label = "[empty]" // the empty one is the total
			}
			d.groups = append(d.groups, dumpGroup{label: label, row: row, users: row.Users.Max, codes: codesOf(row)})
		}
	}
	return d
}

// codesOf counts samples by code as Taurus shows it. Samples without an answer have the name of
// their fault.
func codesOf(row *metrics.Row) map[string]int64 {
	codes := map[string]int64{}
	for status, n := range row.Codes {
		if status != 0 && n > 0 {
			codes[strconv.Itoa(status)] = n
		}
	}
	unanswered := row.Codes[0]
	for f := metrics.FaultDNS; f < metrics.FaultCount && unanswered > 0; f++ {
		if f == metrics.FaultStatus || f == metrics.FaultAssertion || f == metrics.FaultExtraction {
			continue
		}
		if n := min(row.Faults[f], unanswered); n > 0 {
			codes[criteria.FaultCode(f)] += n
			unanswered -= n
		}
	}
	return codes
}

// figure is one key figure: its name and its value as text.
type figure struct{ name, value string }

// figures gives the figures of a group besides percentiles and codes, sorted by name.
func (g dumpGroup) figures() []figure {
	r := g.row
	connect := 0.0
	if r.Service.Count > 0 {
		connect = float64(r.Connect.Total) / float64(r.Service.Count)
	}
	return []figure{
		{"avg_ct", decimal(connect)}, {"avg_lt", decimal(r.Latency.Mean())}, {"avg_rt", decimal(r.Response.Mean())},
		{"bytes", strconv.FormatInt(r.BytesIn, 10)}, {"concurrency", strconv.FormatInt(g.users, 10)},
		{"fail", strconv.FormatInt(r.Failed, 10)}, {"stdev_rt", decimal(r.Response.Stdev())},
		{"succ", strconv.FormatInt(r.Finished-r.Failed, 10)}, {"throughput", strconv.FormatInt(r.Finished, 10)},
	}
}

func (g dumpGroup) percentile(level float64) string { return decimal(g.row.Response.Quantile(level)) }

// decimal writes ns as seconds with five decimals.
func decimal(ns float64) string { return strconv.FormatFloat(ns/1e9, 'f', 5, 64) }

// levelName writes a level as Taurus does: 95.0, 99.9.
func levelName(level float64) string {
	text := strconv.FormatFloat(level, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

func writeCSV(w io.Writer, d *dumpData) error {
	out := csv.NewWriter(w)
	header := []string{"label"}
	for _, f := range d.groups[0].figures() {
		header = append(header, f.name)
	}
	for _, level := range d.levels {
		header = append(header, "perc_"+levelName(level))
	}
	for _, code := range d.codes {
		header = append(header, "rc_"+code)
	}
	_ = out.Write(header) // errors stay until Flush
	for _, g := range d.groups {
		line := []string{g.label}
		for _, f := range g.figures() {
			line = append(line, f.value)
		}
		for _, level := range d.levels {
			line = append(line, g.percentile(level))
		}
		for _, code := range d.codes {
			cell := ""
			if n := g.codes[code]; n > 0 {
				cell = strconv.FormatInt(n, 10)
			}
			line = append(line, cell)
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// xmlFigure is <NAME value="…" param="…"><name>…</name><value>…</value></NAME>.
type xmlFigure struct {
	XMLName xml.Name
	Value   string `xml:"value,attr"`
	Param   string `xml:"param,attr,omitempty"`
	Name    string `xml:"name"`
	Text    string `xml:"value"`
}

type xmlGroup struct {
	Label   string `xml:"label,attr"`
	Figures []xmlFigure
}

type xmlStatus struct {
	XMLName      xml.Name   `xml:"FinalStatus"`
	TestDuration string     `xml:"TestDuration"`
	Groups       []xmlGroup `xml:"Group"`
}

func writeXML(w io.Writer, d *dumpData) error {
	status := xmlStatus{TestDuration: strconv.FormatFloat(d.seconds, 'f', 1, 64)}
	for _, g := range d.groups {
		group := xmlGroup{Label: g.label}
		for _, f := range g.figures() {
			group.Figures = append(group.Figures, newXMLFigure(f.name, "", f.value))
		}
		for _, level := range d.levels {
			group.Figures = append(group.Figures, newXMLFigure("perc", levelName(level), g.percentile(level)))
		}
		for _, code := range slices.Sorted(maps.Keys(g.codes)) {
			group.Figures = append(group.Figures, newXMLFigure("rc", code, strconv.FormatInt(g.codes[code], 10)))
		}
		status.Groups = append(status.Groups, group)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(status); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func newXMLFigure(name, param, value string) xmlFigure {
	full := name
	if param != "" {
		full += "/" + param
	}
	return xmlFigure{XMLName: xml.Name{Local: name}, Value: value, Param: param, Name: full, Text: value}
}
