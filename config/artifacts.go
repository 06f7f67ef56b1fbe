package config

import (
	"fmt"
	"strings"
	"time"
)

// DefaultArtifactsDir is the template of the artifacts folder where none is written, as in Taurus.
const DefaultArtifactsDir = "%Y-%m-%d_%H-%M-%S.%f"

// ArtifactsDir fills a template of strftime directives; "" stands for [DefaultArtifactsDir].
// Directives that Python's strftime does not know stay as they are.
func ArtifactsDir(template string, now time.Time) string {
	if template == "" {
		template = DefaultArtifactsDir
	}
	var b strings.Builder
	for i := 0; i < len(template); i++ {
		if template[i] != '%' || i+1 == len(template) {
			b.WriteByte(template[i])
			continue
		}
		i++
		b.WriteString(directiveText(template[i], now))
	}
	return b.String()
}

func directiveText(directive byte, t time.Time) string {
	switch directive {
	case '%':
		return "%"
	case 'f':
		return fmt.Sprintf("%06d", t.Nanosecond()/1000)
	case 'j':
		return fmt.Sprintf("%03d", t.YearDay())
	case 's':
		return fmt.Sprint(t.Unix())
	case 'w':
		return fmt.Sprint(int(t.Weekday()))
	case 'u':
		return fmt.Sprint((int(t.Weekday())+6)%7 + 1)
	case 'U':
		return fmt.Sprintf("%02d", (t.YearDay()+6-int(t.Weekday()))/7)
	case 'W':
		return fmt.Sprintf("%02d", (t.YearDay()+6-(int(t.Weekday())+6)%7)/7)
	case 'V', 'G':
		year, week := t.ISOWeek()
		if directive == 'G' {
			return fmt.Sprint(year)
		}
		return fmt.Sprintf("%02d", week)
	}
	layouts := map[byte]string{
		'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'H': "15", 'I': "03", 'M': "04", 'S': "05",
		'p': "PM", 'b': "Jan", 'h': "Jan", 'B': "January", 'a': "Mon", 'A': "Monday", 'e': "_2",
		'z': "-0700", 'Z': "MST", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", 'D': "01/02/06",
		'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05",
	}
	if layout, ok := layouts[directive]; ok {
		return t.Format(layout)
	}
	return "%" + string(directive)
}
