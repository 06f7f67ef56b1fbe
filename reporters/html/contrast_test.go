package html

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast checks both themes against WCAG 2.2: 4.5 to 1 for texts, 3 to 1 for lines in charts.
func TestContrast(t *testing.T) {
	style := styleText
	dark := strings.Index(style, "@media screen and (prefers-color-scheme: dark)")
	light := variables(style[:dark])
	for name, theme := range map[string]map[string]string{
		"light": light, "dark": variables(style[dark:strings.Index(style, "* { box-sizing")]),
	} {
		check := func(fore, back string, least float64) {
			if got := contrast(t, theme[fore], theme[back]); got < least {
				t.Errorf("%s: --%s on --%s is %.2f to 1, want %.1f", name, fore, back, got, least)
			}
		}
		for _, text := range []string{"text", "soft", "accent", "good", "bad", "warn", "p50", "p90", "p95", "p99"} {
			check(text, "sheet", 4.5)
		}
		for _, text := range []string{"text", "soft"} {
			check(text, "page", 4.5)
		}
		for _, word := range []string{"good", "bad", "warn"} {
			check(word, word+"-soft", 4.5)
			check("text", word+"-soft", 4.5)
		}
		for _, line := range []string{"max", "done", "plan", "violet"} {
			check(line, "sheet", 3)
		}
	}
}

// TestDarkThemeOnce keeps the two blocks of dark colours, of the system and of the button, the same.
func TestDarkThemeOnce(t *testing.T) {
	blocks := regexp.MustCompile(`(?s)color-scheme: dark;(.*?)\}`).FindAllStringSubmatch(styleText, -1)
	if len(blocks) != 2 || blocks[0][1] != blocks[1][1] {
		t.Errorf("the dark colours of prefers-color-scheme and of data-theme differ, or there are not two: %d", len(blocks))
	}
}

func variables(css string) map[string]string {
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(css, -1) {
		out[m[1]] = m[2]
	}
	return out
}

// contrast is (L₁ + 0.05) / (L₂ + 0.05) of the relative luminances, the lighter one first (WCAG 2.2).
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, color string) float64 {
	t.Helper()
	if len(color) != 7 {
		t.Fatalf("no colour: %q", color)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
