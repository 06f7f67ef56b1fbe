package walls

import (
	"bytes"
	_ "embed"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/stacrun/stacrun"

//go:embed floors.txt
var floors string

// plan maps a room, or a pattern of rooms, to what it may import.
func plan(t *testing.T) (rooms []string, allowed map[string][]string) {
	t.Helper()
	allowed = map[string][]string{}
	for line := range strings.Lines(floors) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		room, list, ok := strings.Cut(line, ":")
		if !ok {
			t.Fatalf("floors.txt: no colon in %q", line)
		}
		rooms = append(rooms, room)
		allowed[room] = strings.Fields(list)
	}
	return rooms, allowed
}

func matches(pattern, room string) bool {
	if pattern == "*" {
		return true
	}
	if base, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(room, base+"/")
	}
	return pattern == room
}

// TestImportsPointDown reads every Go file of the module, tests left out, and holds its imports against the plan.
func TestImportsPointDown(t *testing.T) {
	rooms, allowed := plan(t)
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); base == "testdata" || (strings.HasPrefix(base, ".") && name != root) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files++
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		room := path.Dir(filepath.ToSlash(rel))
		// An exact line wins over a pattern.
		at := slices.Index(rooms, room)
		if at < 0 {
			at = slices.IndexFunc(rooms, func(pattern string) bool { return matches(pattern, room) })
		}
		if at < 0 {
			t.Errorf("%s: room %q is not on the floor plan", rel, room)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			target, inside := strings.CutPrefix(imported, module+"/")
			if !inside || target == room {
				continue
			}
			if !slices.ContainsFunc(allowed[rooms[at]], func(p string) bool { return matches(p, target) }) {
				t.Errorf("%s: %q may not import %q (allowed: %v)", rel, room, target, allowed[rooms[at]])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Fatalf("only %d Go files were read", files)
	}
}

// TestAllocationsAreCountedInOnePlace keeps tests from counting allocations by themselves: they would fail now and then
// under the race detector and beside a collection.
func TestAllocationsAreCountedInOnePlace(t *testing.T) {
	root, counted := filepath.Join("..", ".."), "testing."+"AllocsPerRun"
	files := 0
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		files++
		text, err := os.ReadFile(name)
		if bytes.Contains(text, []byte(counted)) {
			t.Errorf("%s: internal/weigh counts allocations", name)
		}
		return err
	})
	if err != nil || files < 10 {
		t.Fatalf("%d test files were read: %v", files, err)
	}
}
