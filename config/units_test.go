package config

import (
	"errors"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for _, tt := range []struct {
		text string
		want time.Duration
	}{
		{"", 0}, {"0", 0}, {"30", 30 * time.Second}, {"0.75s", 750 * time.Millisecond}, {"500ms", 500 * time.Millisecond},
		{"1d 2h 3m 4s", 93784 * time.Second}, {"1s200ms", 1200 * time.Millisecond}, {"1m30", 90 * time.Second},
		{"1.5h", 5400 * time.Second}, {"5M", 5 * time.Minute}, {"  2 h ", 2 * time.Hour}, {".5", 500 * time.Millisecond},
		{"1.", time.Second}, {"10S", 10 * time.Second}, {"0.000001ms", time.Nanosecond},
	} {
		got, err := ParseDuration(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", tt.text, got, err, tt.want)
		}
	}
}

func TestParseDurationRejects(t *testing.T) {
	for _, tt := range []struct {
		text, reason string
		offset       int
	}{
		{"5x", `unknown unit "x"`, 1},
		{"150mss", `unknown unit "mss"`, 3},
		{"5min", `unknown unit "min"`, 1},
		{"1e3", `unknown unit "e"`, 1},
		{"1,5s", `unexpected ",5s"`, 1},
		{"1:30", `unexpected ":30"`, 1},
		{"1.2.3", `unexpected ".3"`, 3},
		{"1 2s", `unexpected "2s"`, 2},
		{"~10s", `unexpected "~10s"`, 0},
		{"${T1}", `unexpected "${T1}"`, 0},
		{"-5s", "it must not be negative", 0},
		{"inf", `unexpected "inf"`, 0},
		{"200000d", "it is longer than 100 years", 0},
		{"99999999999999999999", "it is longer than 100 years", 0},
		{"5µs", `unknown unit "µs"`, 1},
	} {
		_, err := ParseDuration(tt.text)
		var unit *UnitError
		if !errors.As(err, &unit) {
			t.Errorf("ParseDuration(%q): no unit error: %v", tt.text, err)
			continue
		}
		if unit.Reason != tt.reason || unit.Offset != tt.offset || unit.Hint == "" {
			t.Errorf("ParseDuration(%q): %q at %d, want %q at %d", tt.text, unit.Reason, unit.Offset, tt.reason, tt.offset)
		}
	}
}

func TestParseSizeRatePercent(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "10b": 10, "1k": 1024, "2KB": 2048, "1.5 m": 1572864, "3MiB": 3 << 20, "1g": 1 << 30} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]float64{"10": 10, "10/s": 10, "600/m": 10, "36000 / h": 10, "0.5": 0.5} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("ParseRate(%q) = %g, %v, want %g", text, got, err, want)
		}
	}
	for text, want := range map[string]float64{"10%": 10, "0.5 %": 0.5} {
		if got, err := ParsePercent(text); err != nil || got != want {
			t.Errorf("ParsePercent(%q) = %g, %v, want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "x", "1t", "1k 2", "--"} {
		if _, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q): no error", text)
		}
	}
	for _, text := range []string{"", "-1", "1/d", "1 s", "1/s/s", "1/"} {
		if _, err := ParseRate(text); err == nil {
			t.Errorf("ParseRate(%q): no error", text)
		}
	}
	for _, text := range []string{"", "1", "-1%", "1%%", "%"} {
		if _, err := ParsePercent(text); err == nil {
			t.Errorf("ParsePercent(%q): no error", text)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"1d 2h 3m 4s", "500ms", "1.5h", "1e3", "5x", "0.0000001s", ".", "1:30"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			return
		}
		if again, err := ParseDuration(FormatDuration(d)); err != nil || again != d {
			t.Errorf("%q = %d, printed %q, read %d, %v", s, d, FormatDuration(d), again, err)
		}
	})
}

func FuzzParseSizeAndRate(f *testing.F) {
	for _, s := range []string{"1k", "1.5m", "10/s", "600/m", "9g", "0.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseSize(s); err == nil {
			if again, err := ParseSize(FormatSize(n)); err != nil || again != n {
				t.Errorf("size %q = %d, printed %q, read %d, %v", s, n, FormatSize(n), again, err)
			}
		}
		if r, err := ParseRate(s); err == nil {
			if again, err := ParseRate(FormatRate(r)); err != nil || again != r {
				t.Errorf("rate %q = %g, printed %q, read %g, %v", s, r, FormatRate(r), again, err)
			}
		}
	})
}
