package report

import (
	"strconv"
	"strings"
)

// Machine is what a load is made on. What is not known is empty or 0.
type Machine struct {
	Host        string `json:"host"`
	OS          string `json:"os"`   // as Go names it, such as linux
	Arch        string `json:"arch"` // such as amd64
	Kernel      string `json:"kernel"`
	Go          string `json:"go"` // version of the Go runtime
	Processors  int    `json:"processors"`
	Used        int    `json:"processors_used"` // that the process may use at once, limits of its container included
	Model       string `json:"processor_model"`
	MemoryBytes int64  `json:"memory_bytes"` // of the machine
	Descriptors int64  `json:"descriptors"`  // files and connections that the process may have open
	Ports       int64  `json:"ports"`        // local ports that the system gives out, for each address that is connected to
}

// Facts are lines about the machine, name and value.
func (m *Machine) Facts() [][2]string {
	var facts [][2]string
	add := func(name string, parts ...string) {
		if text := strings.Join(nonEmpty(parts), ", "); text != "" {
			facts = append(facts, [2]string{name, Clean(text)})
		}
	}
	add("host", m.Host)
	add("system", strings.Trim(m.OS+"/"+m.Arch, "/"), prefixed("kernel ", m.Kernel), m.Go)
	processors := ""
	if m.Processors > 0 {
		processors = strconv.Itoa(m.Used) + " used of " + strconv.Itoa(m.Processors)
	}
	add("processors", processors, m.Model)
	if m.MemoryBytes > 0 {
		add("memory", Bytes(m.MemoryBytes))
	}
	limits := []string{"", ""}
	if m.Descriptors > 0 {
		limits[0] = Thousands(m.Descriptors) + " open files"
	}
	if m.Ports > 0 {
		limits[1] = Thousands(m.Ports) + " local ports"
	}
	add("limits", limits...)
	return facts
}

func nonEmpty(parts []string) (list []string) {
	for _, part := range parts {
		if part != "" {
			list = append(list, part)
		}
	}
	return list
}

func prefixed(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
